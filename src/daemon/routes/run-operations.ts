/** Operations on runs: list, create, get, remove. */

import type { z } from 'zod'
import { legacyRunFields } from '../../formats/run-request-keys.ts'
import { viewAttention } from '../../history/views/view-attention.ts'
import { viewRuns } from '../../history/views/view-runs.ts'
import { defined, isEnd } from '../../loop/index.ts'
import type { RunAnswer } from '../../protocol/api/index.ts'
import type { DaemonParts, Submitted } from '../parts.ts'
import { json, type Operation, ok, operation, type Reply, type Schema } from './operation.ts'
import { flag, text } from './parameter.ts'
import { toFilter, which } from './run-filter.ts'
import { inRun, paged } from './run-parameters.ts'

const tag = 'runs'

type Schemas = typeof import('../../protocol/api/index.ts')

/** Loaded with the first request that needs one. */
const schema =
  <T>(choose: (schemas: Schemas) => z.ZodType<T>): Schema<T> =>
  async () =>
    choose(await import('../../protocol/api/index.ts'))

const runAnswer = schema((api) => api.runAnswerSchema)

const list = operation({
  id: 'listRuns',
  method: 'get',
  path: '/runs',
  tag,
  summary: 'List the runs, newest first.',
  query: {
    ...paged,
    ...which,
    loop: text({ description: 'Only runs of this loop.', example: 'fix-tests', max: 256 }),
    name: text({ description: 'Only runs whose name begins with this.', example: 'calm', max: 64 }),
    attention: flag('Add the questions that each run asked, and how long it waited for answers.'),
  },
  responses: {
    200: json(
      'A page of runs.',
      schema((api) => api.pageSchema(api.runSchema)),
    ),
  },
  async handle({ host }, { query }) {
    const { limit, attention, cursor, loop, name } = query
    const filter = { ...toFilter(query), ...defined({ cursor, loop, name }) }
    return ok(await viewRuns(host, { ...filter, limit, attention }))
  },
})

const attentions = operation({
  id: 'listAttention',
  method: 'get',
  path: '/attention',
  tag,
  summary: 'Sum up the questions of the runs of each loop, and how long they waited for answers.',
  query: which,
  responses: {
    200: json(
      'Each loop, the most questions first.',
      schema((api) => api.loopAttentionsSchema),
    ),
  },
  async handle({ host }, { query }) {
    return ok({ items: await viewAttention(host, toFilter(query)) })
  },
})

const create = operation({
  id: 'createRun',
  method: 'post',
  path: '/runs',
  tag,
  summary: 'Create a run of a loop file and queue it.',
  description:
    'The run is on disk before the response is sent. With an `Idempotency-Key` the request can be repeated: ' +
    'the same key with the same body returns the same run.',
  headers: {
    'idempotency-key': text({
      description: 'Any unique string, such as a UUID.',
      example: '0b6f0c5e-7b1f-4a59-9d53-6f6a9b7f3a11',
      max: 255,
      pattern: /^[\x21-\x7e]+$/,
    }),
  },
  body: {
    schema: schema((api) => api.newRunSchema),
    example: { file: '/home/me/shop/fix-tests.yaml', limits: { iterations: 5 } },
    replaced: legacyRunFields,
  },
  responses: {
    200: json('The key was used before: the run that it created.', runAnswer),
    201: {
      ...json('The new run.', runAnswer),
      headers: { location: 'The path of the run.' },
    },
  },
  problems: [404, 409, 422, 501],
  async handle({ scheduler }, { body, headers }) {
    return createdReply(scheduler, await scheduler.submit(body, headers['idempotency-key']))
  },
})

export function createdReply(
  scheduler: DaemonParts['scheduler'],
  { run, isNew, why }: Submitted,
): Reply {
  const queue = scheduler.entry(run.id)
  const value: RunAnswer = { run, ...defined({ queue, why }) }
  const headers = { location: `/runs/${run.id}` }
  return { status: isNew ? 201 : 200, value, headers }
}

const inspect = operation({
  id: 'getRun',
  method: 'get',
  path: '/runs/{run}',
  tag,
  summary: 'Get a run: state, questions, checkpoints, position in the queue.',
  params: inRun,
  responses: {
    200: json(
      'The run.',
      schema((api) => api.runDetailSchema),
    ),
  },
  problems: [404, 409],
  async handle({ host, scheduler }, { params }) {
    const found = await host.inspect(params.run)
    const queue = scheduler.entry(found.run.id)
    return ok({ ...found, ...defined({ queue }) })
  },
})

const remove = operation({
  id: 'removeRun',
  method: 'delete',
  path: '/runs/{run}',
  tag,
  summary: 'Permanently remove an ended run from the journal.',
  description:
    'Needs the full id or name. Also removes its worktree, unless that has work that is saved nowhere else.',
  params: inRun,
  query: { force: flag('Also remove a run that has not ended, if no process drives it.') },
  responses: {
    200: json(
      'The removed run.',
      schema((api) => api.runRemovedSchema),
    ),
  },
  problems: [404, 409, 501],
  async handle({ host, scheduler }, { params, query }) {
    const run = await host.journal.findRun(params.run)
    const isNamed = params.run === run.id || params.run === run.name
    const isQueued = scheduler.entry(run.id)?.state === 'queued'
    if (isQueued && isNamed && (query.force || isEnd(run.status))) await scheduler.release(run.id)
    return ok(await host.remove(params.run, { force: query.force }))
  },
})

export const runOperations: readonly Operation[] = [list, attentions, create, inspect, remove]
