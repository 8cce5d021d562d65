/** Operations for pages that show many runs at once: summaries of runs, and the machine. */

import { z } from 'zod'
import { type FindQueueEntry, viewSummaries } from '../../history/views/view-summaries.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { dashboardLinkSchema, machineSchema, runSummariesSchema } from '../../protocol/api/index.ts'
import { examineMachine } from '../examine-machine.ts'
import type { DaemonParts } from '../parts.ts'
import type { RequestBindings } from '../principal.ts'
import { streamSummaries } from '../streams/stream-summaries.ts'
import { wantsStream } from '../streams/wants-stream.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { text, whole } from './parameter.ts'
import { toFilter, which } from './run-filter.ts'
import { after, paged } from './run-parameters.ts'

/** Of the queue as it is now. */
function queueEntries({ scheduler }: DaemonParts): FindQueueEntry {
  return (run) => scheduler.entry(run)
}

const summaries = operation({
  id: 'listSummaries',
  method: 'get',
  path: '/summaries',
  tag: 'runs',
  summary: 'List or stream the runs with what a dashboard shows of each, newest first.',
  description:
    'With `Accept: text/event-stream` each message has the runs that changed; its `id` is a position. Start after the ' +
    '`position` of a page: nothing is missed. The filters apply to pages only.',
  query: {
    ...paged,
    ...which,
    loop: text({ description: 'Only runs of this loop.', example: 'fix-tests', max: 256 }),
    name: text({ description: 'Only runs whose name begins with this.', example: 'calm', max: 64 }),
    after,
  },
  headers: {
    'last-event-id': whole({
      description: 'For a stream: the id of the last message. Takes precedence over `after`.',
      example: 120,
      max: Number.MAX_SAFE_INTEGER,
    }),
  },
  isLive: true,
  responses: {
    200: {
      description: 'A page, or a stream if `Accept` is `text/event-stream`.',
      content: { 'application/json': runSummariesSchema, 'text/event-stream': undefined },
    },
  },
  async handle(parts, { query, headers, context }) {
    const entryOf = queueEntries(parts)
    if (wantsStream(context)) {
      const from =
        headers['last-event-id'] ?? query.after ?? (await parts.host.journal.lastPosition())
      return streamSummaries(parts, entryOf, from)
    }
    const { limit, cursor, loop, name } = query
    const choice = { ...toFilter(query), limit, ...defined({ cursor, loop, name }) }
    return ok(await viewSummaries(parts.host, entryOf, choice))
  },
})

const machine = operation({
  id: 'getMachine',
  method: 'get',
  path: '/daemon/machine',
  tag: 'daemon',
  summary: 'Get what runs depend on: sandbox, agents, disk, journal.',
  isLive: true,
  responses: { 200: json('The machine.', machineSchema) },
  async handle({ host }) {
    return ok(await examineMachine(host))
  },
})

const link = operation({
  id: 'createDashboardLink',
  method: 'post',
  path: '/daemon/links',
  tag: 'daemon',
  summary: 'Create a link that opens the dashboard once.',
  description:
    'The fragment of the link is a code. The page exchanges it for a token that ends with the one that created the link.',
  body: { schema: z.strictObject({}), example: {} },
  responses: { 201: json('The link.', dashboardLinkSchema) },
  problems: [501],
  async handle({ dashboard }, { context }) {
    const token = (context.env as RequestBindings | undefined)?.principal?.token
    if (dashboard === undefined || token === undefined) {
      throw new LoopError(
        'not-available',
        'Only a daemon serves the dashboard. Start one: loopctl daemon start',
      )
    }
    return { status: 201, value: dashboard.createLink(token) }
  },
})

export const summaryOperations: readonly Operation[] = [summaries, machine, link]
