/** Operations that read the journal: in pages, or as a stream. */

import type { z } from 'zod'
import {
  viewEvents,
  viewEvidence,
  viewInbox,
  viewIterations,
  viewLedger,
  viewOutput,
  viewPolicy,
  viewProgress,
  viewSteps,
  viewStoreEvents,
} from '../../history/views/index.ts'
import { defined, type RunId } from '../../loop/index.ts'
import {
  evidenceEntrySchema,
  inboxQuestionSchema,
  iterationSummarySchema,
  ledgerSchema,
  openQuestionSchema,
  outputEntrySchema,
  pageSchema,
  policyDecisionsSchema,
  progressSchema,
  queueEntrySchema,
  stepSchema,
} from '../../protocol/api/index.ts'
import { recordedEventSchema } from '../../protocol/index.ts'
import type { DaemonParts } from '../parts.ts'
import { streamOutput, streamRunEvents, streamStoreEvents } from '../streams/index.ts'
import { wantsStream } from '../streams/wants-stream.ts'
import { json, type Operation, ok, operation, type ResponseShape } from './operation.ts'
import { whole } from './parameter.ts'
import { after, cursor, inRun, limit, paged, pageOf } from './run-parameters.ts'

const tag = 'journal'
const problems = [404, 409]

const idOf = async ({ host }: DaemonParts, run: string): Promise<RunId> =>
  (await host.journal.findRun(run)).id

interface PageQuery {
  readonly limit: number
  readonly cursor: string | undefined
}

/** Without undefined values. */
const toPageOptions = ({
  limit: size,
  cursor: from,
}: PageQuery): { limit: number; cursor?: string } => ({
  limit: size,
  ...defined({ cursor: from }),
})

const steps = operation({
  id: 'listSteps',
  method: 'get',
  path: '/runs/{run}/steps',
  tag,
  summary: 'List the steps of a run, each attempt separately, oldest first.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of steps.', pageSchema(stepSchema)) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewSteps(parts.host, await idOf(parts, params.run), toPageOptions(query)))
  },
})

const iterations = operation({
  id: 'listIterations',
  method: 'get',
  path: '/runs/{run}/iterations',
  tag,
  summary: 'List the iterations of a run, oldest first.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of iterations.', pageSchema(iterationSummarySchema)) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewIterations(parts.host, await idOf(parts, params.run), toPageOptions(query)))
  },
})

const progress = operation({
  id: 'getProgress',
  method: 'get',
  path: '/runs/{run}/progress',
  tag,
  summary: 'Get the progress of a run: iterations, cost, current activity.',
  params: inRun,
  responses: { 200: json('Its progress.', progressSchema) },
  problems,
  async handle(parts, { params }) {
    return ok(await viewProgress(parts.host, await idOf(parts, params.run)))
  },
})

const evidence = operation({
  id: 'listEvidence',
  method: 'get',
  path: '/runs/{run}/evidence',
  tag,
  summary: 'List the results of the checks of a run, with the files they are about, oldest first.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of results.', pageSchema(evidenceEntrySchema)) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewEvidence(parts.host, await idOf(parts, params.run), toPageOptions(query)))
  },
})

const ledger = operation({
  id: 'getLedger',
  method: 'get',
  path: '/runs/{run}/ledger',
  tag,
  summary: 'List the budget entries of a run, oldest first, and its balance.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of entries.', ledgerSchema) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewLedger(parts.host, await idOf(parts, params.run), toPageOptions(query)))
  },
})

const policy = operation({
  id: 'getPolicyDecisions',
  method: 'get',
  path: '/runs/{run}/policy',
  tag,
  summary: 'List what the policy of a run answered, with the rule and the numbers, oldest first.',
  description: 'Allowed tool calls are only counted, on the first page.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of answers.', policyDecisionsSchema) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewPolicy(parts.host, await idOf(parts, params.run), toPageOptions(query)))
  },
})

const questionsOfRun = operation({
  id: 'listRunQuestions',
  method: 'get',
  path: '/runs/{run}/questions',
  tag,
  summary: 'List the open questions of a run.',
  params: inRun,
  query: paged,
  responses: { 200: json('A page of questions.', pageSchema(openQuestionSchema)) },
  problems,
  async handle({ host }, { params, query }) {
    return ok(pageOf((await host.inspect(params.run)).questions, query))
  },
})

const inbox = operation({
  id: 'listQuestions',
  method: 'get',
  path: '/questions',
  tag,
  summary: 'List the open questions of all runs, the earliest deadline first.',
  query: paged,
  responses: { 200: json('A page of questions.', pageSchema(inboxQuestionSchema)) },
  async handle({ host }, { query }) {
    return ok(await viewInbox(host, toPageOptions(query)))
  },
})

const queue = operation({
  id: 'getQueue',
  method: 'get',
  path: '/queue',
  tag: 'runs',
  summary: 'List the running and queued runs, and what they wait for.',
  query: paged,
  responses: { 200: json('Running runs first, then by position.', pageSchema(queueEntrySchema)) },
  async handle({ scheduler }, { query }) {
    return ok(pageOf(await scheduler.queue(), query))
  },
})

const streamed = {
  query: { limit, cursor, after },
  headers: {
    'last-event-id': whole({
      description:
        'For a stream: the id of the last message received. Takes precedence over `after`.',
      example: 120,
      max: Number.MAX_SAFE_INTEGER,
    }),
  },
}

const pageOrStream = (item: z.ZodType): Readonly<Record<number, ResponseShape>> => ({
  200: {
    description: 'A page, or a stream if `Accept` is `text/event-stream`.',
    content: { 'application/json': pageSchema(item), 'text/event-stream': undefined },
  },
  204: { description: 'For a stream: there will never be more.' },
})

const streamText =
  'With `Accept: text/event-stream` each is sent as one message as soon as it is on disk. `Last-Event-ID` ' +
  'continues after that `id` with no gaps or duplicates. '

const events = operation({
  id: 'listRunEvents',
  method: 'get',
  path: '/runs/{run}/events',
  tag,
  summary: 'List or stream the events of a run, oldest first.',
  description: `${streamText}The \`id\` is the seq. The stream ends after \`run-ended\`.`,
  params: inRun,
  ...streamed,
  responses: pageOrStream(recordedEventSchema),
  problems,
  async handle(parts, { params, query, headers, context }) {
    const run = await idOf(parts, params.run)
    const from = headers['last-event-id'] ?? query.after ?? 0
    if (wantsStream(context)) return streamRunEvents(context, parts, run, from)
    return ok(await viewEvents(parts.host, run, { ...toPageOptions(query), after: from }))
  },
})

const output = operation({
  id: 'listRunOutput',
  method: 'get',
  path: '/runs/{run}/output',
  tag,
  summary: 'List or stream the output of the agents and checks of a run, oldest first.',
  description: `${streamText}The \`id\` is the seq of the event that holds it. The stream ends with the run.`,
  params: inRun,
  ...streamed,
  responses: pageOrStream(outputEntrySchema),
  problems,
  async handle(parts, { params, query, headers, context }) {
    const run = await idOf(parts, params.run)
    const from = headers['last-event-id'] ?? query.after ?? 0
    if (wantsStream(context)) return streamOutput(context, parts, run, from)
    return ok(await viewOutput(parts.host, run, { ...toPageOptions(query), after: from }))
  },
})

const allEvents = operation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  tag,
  summary: 'List or stream the events of all runs, in the order of the journal.',
  description: `${streamText}The \`id\` is the position. The stream ends with the daemon.`,
  ...streamed,
  responses: pageOrStream(recordedEventSchema),
  async handle(parts, { query, headers, context }) {
    const from = headers['last-event-id'] ?? query.after ?? 0
    if (wantsStream(context)) return streamStoreEvents(context, parts, from)
    return ok(await viewStoreEvents(parts.host, { ...toPageOptions(query), after: from }))
  },
})

export const journalOperations: readonly Operation[] = [
  steps,
  iterations,
  progress,
  evidence,
  ledger,
  policy,
  questionsOfRun,
  events,
  output,
  inbox,
  queue,
  allEvents,
]
