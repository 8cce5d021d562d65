/** Runs: which there are, a new one, one of them, one less. */

import { viewRuns } from '../../history/views/view-runs.ts'
import { defined, isEnd, runStatuses, statusAliases, statusesNamed } from '../../loop/index.ts'
import {
  newRunSchema,
  pageSchema,
  type RunAnswer,
  runAnswerSchema,
  runDetailSchema,
  runRemovedSchema,
  runSchema,
} from '../../protocol/api/index.ts'
import type { DaemonParts, Submitted } from '../parts.ts'
import { json, type Operation, ok, operation, type Reply } from './operation.ts'
import { flag, oneOf, text, whole } from './parameter.ts'
import { inRun, paged } from './run-parameters.ts'

const tag = 'runs'
const time = (description: string, example: number) =>
  whole({ description, example, max: Number.MAX_SAFE_INTEGER })

const statusNames = [...new Set<string>([...runStatuses, ...Object.keys(statusAliases)])]

const list = operation({
  id: 'listRuns',
  method: 'get',
  path: '/runs',
  tag,
  summary: 'The runs on record, newest first.',
  query: {
    ...paged,
    status: oneOf(statusNames, {
      description: 'Only those with this status, by our name or by that of a document.',
      example: 'running',
    }),
    workspace: text({
      description: 'Only those that work in this folder, or in a worktree of it: a whole path.',
      example: '/home/me/shop',
      max: 4096,
    }),
    loop: text({ description: 'Only those of this loop.', example: 'fix-tests', max: 256 }),
    name: text({ description: 'Only those whose name begins so.', example: 'calm', max: 64 }),
    createdAfter: time('Only those created after this moment, in ms.', 1_790_000_000_000),
    createdBefore: time('Only those created before this moment, in ms.', 1_790_000_000_000),
  },
  answers: { 200: json('A page of runs.', pageSchema(runSchema)) },
  async handle({ host }, { query }) {
    const { limit, cursor, status, workspace, loop, name, createdAfter, createdBefore } = query
    const statuses = status === undefined ? undefined : statusesNamed(status)
    const page = await viewRuns(host, {
      limit,
      ...defined({
        cursor,
        status: statuses,
        workspace,
        loop,
        name,
        createdAfterMs: createdAfter,
        createdBeforeMs: createdBefore,
      }),
    })
    return ok(page)
  },
})

const create = operation({
  id: 'createRun',
  method: 'post',
  path: '/runs',
  tag,
  summary: 'Creates a run of a loop file and queues it.',
  description:
    'It is on disk before it is answered. With an `Idempotency-Key` it can be sent again: the same key ' +
    'with the same body gives the same run.',
  headers: {
    'idempotency-key': text({
      description: 'Anything that no other request has, such as a UUID.',
      example: '0b6f0c5e-7b1f-4a59-9d53-6f6a9b7f3a11',
      max: 255,
      pattern: /^[\x21-\x7e]+$/,
    }),
  },
  body: {
    schema: newRunSchema,
    example: { file: '/home/me/shop/fix-tests.yaml', limits: { iterations: 5 } },
  },
  answers: {
    200: json('The key was used before: the run of that time.', runAnswerSchema),
    201: {
      ...json('The new run.', runAnswerSchema),
      headers: { location: 'Where the run is.' },
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
  summary: 'One run: its row, its state, what it asks, its checkpoints, its place in the queue.',
  params: inRun,
  answers: { 200: json('The run.', runDetailSchema) },
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
  summary: 'Takes a run that has ended out of the record for good.',
  description:
    'By its whole id or name. Its worktree goes too, unless there is work in it that is nowhere else.',
  params: inRun,
  query: { force: flag('Also one that has not ended, if nobody drives it.') },
  answers: { 200: json('What it was.', runRemovedSchema) },
  problems: [404, 409, 501],
  async handle({ host, scheduler }, { params, query }) {
    const run = await host.journal.findRun(params.run)
    const isNamed = params.run === run.id || params.run === run.name
    const isQueued = scheduler.entry(run.id)?.state === 'queued'
    if (isQueued && isNamed && (query.force || isEnd(run.status))) await scheduler.release(run.id)
    return ok(await host.remove(params.run, { force: query.force }))
  },
})

export const runOperations: readonly Operation[] = [list, create, inspect, remove]
