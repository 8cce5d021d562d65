/** What the record says of runs, and of all of them: read in pages, or as a stream while it grows. */

import type { Context } from 'hono'
import type { z } from 'zod'
import {
  viewEvents,
  viewEvidence,
  viewInbox,
  viewIterations,
  viewLedger,
  viewOutput,
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
  progressSchema,
  queueEntrySchema,
  stepSchema,
} from '../../protocol/api/index.ts'
import { recordedEventSchema } from '../../protocol/index.ts'
import type { DaemonParts } from '../parts.ts'
import { streamOutput, streamRunEvents, streamStoreEvents } from '../streams/index.ts'
import { type AnswerShape, json, type Operation, ok, operation } from './operation.ts'
import { whole } from './parameter.ts'
import { after, cursor, inRun, limit, paged, pageOf } from './run-parameters.ts'

const tag = 'record'
const problems = [404, 409]

const idOf = async ({ host }: DaemonParts, run: string): Promise<RunId> =>
  (await host.journal.findRun(run)).id

interface PageQuery {
  readonly limit: number
  readonly cursor: string | undefined
}

/** Without what is not given. */
const within = ({ limit: size, cursor: from }: PageQuery): { limit: number; cursor?: string } => ({
  limit: size,
  ...defined({ cursor: from }),
})

const steps = operation({
  id: 'listSteps',
  method: 'get',
  path: '/runs/{run}/steps',
  tag,
  summary: 'The steps of a run, each attempt for itself, oldest first.',
  params: inRun,
  query: paged,
  answers: { 200: json('A page of steps.', pageSchema(stepSchema)) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewSteps(parts.host, await idOf(parts, params.run), within(query)))
  },
})

const iterations = operation({
  id: 'listIterations',
  method: 'get',
  path: '/runs/{run}/iterations',
  tag,
  summary: 'The iterations of a run, oldest first.',
  params: inRun,
  query: paged,
  answers: { 200: json('A page of iterations.', pageSchema(iterationSummarySchema)) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewIterations(parts.host, await idOf(parts, params.run), within(query)))
  },
})

const progress = operation({
  id: 'getProgress',
  method: 'get',
  path: '/runs/{run}/progress',
  tag,
  summary: 'How far a run has got: iterations, spending, what is under way.',
  params: inRun,
  answers: { 200: json('Its progress.', progressSchema) },
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
  summary:
    'What the checks of a run found, each answer bound to the files it is about, oldest first.',
  params: inRun,
  query: paged,
  answers: { 200: json('A page of answers.', pageSchema(evidenceEntrySchema)) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewEvidence(parts.host, await idOf(parts, params.run), within(query)))
  },
})

const ledger = operation({
  id: 'getLedger',
  method: 'get',
  path: '/runs/{run}/ledger',
  tag,
  summary: 'The movements of a run’s budget, oldest first, and where it stands.',
  params: inRun,
  query: paged,
  answers: { 200: json('A page of movements.', ledgerSchema) },
  problems,
  async handle(parts, { params, query }) {
    return ok(await viewLedger(parts.host, await idOf(parts, params.run), within(query)))
  },
})

const questionsOfRun = operation({
  id: 'listRunQuestions',
  method: 'get',
  path: '/runs/{run}/questions',
  tag,
  summary: 'What a run asks of people now.',
  params: inRun,
  query: paged,
  answers: { 200: json('A page of questions.', pageSchema(openQuestionSchema)) },
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
  summary: 'What all runs ask of people now, the earliest deadline first.',
  query: paged,
  answers: { 200: json('A page of questions.', pageSchema(inboxQuestionSchema)) },
  async handle({ host }, { query }) {
    return ok(await viewInbox(host, within(query)))
  },
})

const queue = operation({
  id: 'getQueue',
  method: 'get',
  path: '/queue',
  tag: 'runs',
  summary:
    'The runs that the daemon drives or is to drive: which are at work, which wait, for what.',
  query: paged,
  answers: { 200: json('Those at work first, then by position.', pageSchema(queueEntrySchema)) },
  async handle({ scheduler }, { query }) {
    return ok(pageOf(await scheduler.queue(), query))
  },
})

const streamed = {
  query: { limit, cursor, after },
  headers: {
    'last-event-id': whole({
      description:
        'Of a stream: the id of the last message that was received. Goes before `after`.',
      example: 120,
      max: Number.MAX_SAFE_INTEGER,
    }),
  },
}

const pageOrStream = (item: z.ZodType): Readonly<Record<number, AnswerShape>> => ({
  200: {
    description: 'A page, or a stream where `Accept` says `text/event-stream`.',
    content: { 'application/json': pageSchema(item), 'text/event-stream': undefined },
  },
  204: { description: 'Of a stream: there is nothing more, ever.' },
})

const streamText =
  'With `Accept: text/event-stream` each is one message as soon as it is on disk. `Last-Event-ID` goes on ' +
  'after that `id` without a gap or a double. '

const events = operation({
  id: 'listRunEvents',
  method: 'get',
  path: '/runs/{run}/events',
  tag,
  summary: 'The events of a run, oldest first: a page of them, or a stream.',
  description: `${streamText}The \`id\` is the seq. The stream ends after \`run-ended\`.`,
  params: inRun,
  ...streamed,
  answers: pageOrStream(recordedEventSchema),
  problems,
  async handle(parts, { params, query, headers, context }) {
    const run = await idOf(parts, params.run)
    const from = headers['last-event-id'] ?? query.after ?? 0
    if (wantsStream(context)) return streamRunEvents(context, parts, run, from)
    return ok(await viewEvents(parts.host, run, { ...within(query), after: from }))
  },
})

const output = operation({
  id: 'listRunOutput',
  method: 'get',
  path: '/runs/{run}/output',
  tag,
  summary: 'What the agents and checks of a run said, oldest first: a page of it, or a stream.',
  description: `${streamText}The \`id\` is the seq of the event that holds it. The stream ends with the run.`,
  params: inRun,
  ...streamed,
  answers: pageOrStream(outputEntrySchema),
  problems,
  async handle(parts, { params, query, headers, context }) {
    const run = await idOf(parts, params.run)
    const from = headers['last-event-id'] ?? query.after ?? 0
    if (wantsStream(context)) return streamOutput(context, parts, run, from)
    return ok(await viewOutput(parts.host, run, { ...within(query), after: from }))
  },
})

const allEvents = operation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  tag,
  summary: 'The events of all runs in the order of the store: a page of them, or a stream.',
  description: `${streamText}The \`id\` is the position. The stream ends with the daemon.`,
  ...streamed,
  answers: pageOrStream(recordedEventSchema),
  async handle(parts, { query, headers, context }) {
    const from = headers['last-event-id'] ?? query.after ?? 0
    if (wantsStream(context)) return streamStoreEvents(context, parts, from)
    return ok(await viewStoreEvents(parts.host, { ...within(query), after: from }))
  },
})

/** Who asks for the head only is not kept waiting for the rest. */
const wantsStream = ({ req }: Context): boolean =>
  req.method === 'GET' && /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(req.header('accept') ?? '')

export const recordOperations: readonly Operation[] = [
  steps,
  iterations,
  progress,
  evidence,
  ledger,
  questionsOfRun,
  events,
  output,
  inbox,
  queue,
  allEvents,
]
