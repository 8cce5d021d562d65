/** Operations that control runs: pause, resume, stop, cancel, limits, answers, guidance, retries, forks. */

import { type Decider, type Decision, defined, isEnd } from '../../loop/index.ts'
import {
  answerSchema,
  type ControlRequest,
  controlSchema,
  forkSchema,
  limitsRequestSchema,
  type RunAnswer,
  resumeSchema,
  retrySchema,
  runAnswerSchema,
  tellSchema,
} from '../../protocol/api/index.ts'
import { toDecider } from '../decider.ts'
import type { DaemonParts } from '../parts.ts'
import type { RequestBindings } from '../principal.ts'
import { json, type Operation, ok, operation, type Reply } from './operation.ts'
import { required, text } from './parameter.ts'
import { createdReply } from './run-operations.ts'
import { inRun } from './run-parameters.ts'

const tag = 'control'
const responses = { 200: json('The current run.', runAnswerSchema) }
const problems = [404, 409]

type ControlDecision = Exclude<Decision, { type: 'answer' }>

const controlOperation = (
  id: string,
  name: 'pause' | 'stop' | 'cancel',
  summary: string,
  decision: (request: ControlRequest) => ControlDecision,
): Operation =>
  operation({
    id,
    method: 'post',
    path: `/runs/{run}/${name}`,
    tag,
    summary,
    params: inRun,
    body: { schema: controlSchema, example: { by: 'ada', reason: 'wrong branch' } },
    responses,
    problems,
    async handle(parts, { params, body, context }) {
      return sendDecision(parts, params.run, decision(body), decider(context, body))
    },
  })

const pause = controlOperation('pauseRun', 'pause', 'Pause a run after its current step.', () => ({
  type: 'pause',
}))

const stop = controlOperation(
  'stopRun',
  'stop',
  'Stop a run after its current iteration.',
  ({ reason }) => ({
    type: 'stop',
    reason: reason ?? 'stop',
  }),
)

const cancel = controlOperation(
  'cancelRun',
  'cancel',
  'Cancel a run immediately.',
  ({ reason }) => ({
    type: 'cancel',
    reason: reason ?? 'cancel',
  }),
)

const limits = operation({
  id: 'changeLimits',
  method: 'patch',
  path: '/runs/{run}/limits',
  tag,
  summary: 'Change the limits of a run that has not ended.',
  params: inRun,
  body: {
    schema: limitsRequestSchema,
    example: { limits: { iterations: 20 }, reason: 'almost done', by: 'ada' },
  },
  responses,
  problems,
  async handle(parts, { params, body, context }) {
    const { limits: changes, reason } = body
    const decision = { type: 'change-limits', limits: changes, ...defined({ reason }) } as const
    return sendDecision(parts, params.run, decision, decider(context, body))
  },
})

const resume = operation({
  id: 'resumeRun',
  method: 'post',
  path: '/runs/{run}/resume',
  tag,
  summary: 'Resume a paused, suspended or interrupted run.',
  description: 'The run is queued.',
  params: inRun,
  body: { schema: resumeSchema, example: { by: 'ada' } },
  responses,
  problems: [...problems, 422, 501],
  async handle(parts, { params, body, context }) {
    const { host, scheduler } = parts
    const by = decider(context, body)
    const run = await host.journal.findRun(params.run)
    // The process that drives the run cancels its pending pause.
    if (scheduler.isDriven(run) || isEnd(run.status))
      return sendDecision(parts, run.id, { type: 'resume' }, by)
    await scheduler.enqueue(run.id, { ...body, by: by.name })
    return asItIs(parts, run.id)
  },
})

const answer = operation({
  id: 'answerQuestion',
  method: 'post',
  path: '/runs/{run}/questions/{question}/answer',
  tag,
  summary: 'Answer a question of a run. The first answer counts.',
  description:
    'With one of its options, with text, or by kind: the question says which kinds it takes and the option that each selects.',
  params: {
    ...inRun,
    question: required(
      text({
        description: 'The id of the question, or its name in the loop.',
        example: 'tone',
        max: 512,
      }),
      '',
    ),
  },
  body: { schema: answerSchema, example: { answer: 'yes', by: 'ada' } },
  responses,
  problems,
  async handle(parts, { params, body, context }) {
    const { by: _by, ...given } = body
    await parts.host.answer(params.run, params.question, given, decider(context, body))
    return asItIs(parts, params.run)
  },
})

const guide = operation({
  id: 'tellRun',
  method: 'post',
  path: '/runs/{run}/tell',
  tag,
  summary: 'Tell the agent of a run something.',
  description:
    'It reaches a working agent before its next model call, if the agent can take it, and otherwise the context of the next iteration. The event `guidance-delivered` says when.',
  params: inRun,
  body: {
    schema: tellSchema,
    example: { text: 'Keep the old name.', at: { file: 'src/shop.ts', line: 12 } },
  },
  responses,
  problems,
  async handle(parts, { params, body, context }) {
    const { by: _by, ...told } = body
    return sendDecision(parts, params.run, { type: 'tell', ...told }, decider(context, body))
  },
})

const created = {
  201: { ...json('The new run.', runAnswerSchema), headers: { location: 'The path of the run.' } },
}

const retry = operation({
  id: 'retryRun',
  method: 'post',
  path: '/runs/{run}/retry',
  tag,
  summary: 'Start a new run that retries an unsuccessful one.',
  params: inRun,
  body: { schema: retrySchema, example: { by: 'ada' } },
  responses: created,
  problems: [...problems, 422, 501],
  async handle({ host, scheduler }, { params, body }) {
    const { id } = await host.journal.findRun(params.run)
    return createdReply(scheduler, await scheduler.retry(id, body))
  },
})

const fork = operation({
  id: 'forkRun',
  method: 'post',
  path: '/runs/{run}/fork',
  tag,
  summary: 'Start a new run from a checkpoint of this one.',
  params: inRun,
  body: { schema: forkSchema, example: { iteration: 3, name: 'another-way' } },
  responses: created,
  problems: [...problems, 422, 501],
  async handle({ host, scheduler }, { params, body }) {
    const { id } = await host.journal.findRun(params.run)
    return createdReply(scheduler, await scheduler.fork(id, body))
  },
})

/** The identity of the token; the name in the request is what it claims. */
const decider = (
  { env }: { readonly env?: RequestBindings },
  { by }: { readonly by?: string },
): Exclude<Decider, string> => toDecider(env?.principal, by)

async function sendDecision(
  parts: DaemonParts,
  idOrName: string,
  decision: ControlDecision,
  by: Decider,
): Promise<Reply> {
  const { host, scheduler } = parts
  const { id } = await host.journal.findRun(idOrName)
  await host.sendDecision(id, decision, by)
  const { status } = await host.journal.findRun(id)
  // A queued run has applied the decision already, and only this removes it from the queue.
  const isOver = isEnd(status) || (decision.type === 'pause' && status === 'paused')
  if (isOver && scheduler.entry(id)?.state === 'queued') await scheduler.release(id)
  return asItIs(parts, id)
}

async function asItIs({ host, scheduler }: DaemonParts, idOrName: string): Promise<Reply> {
  const run = await host.journal.findRun(idOrName)
  const queue = scheduler.entry(run.id)
  const value: RunAnswer = { run, ...defined({ queue }) }
  return ok(value)
}

export const controlOperations: readonly Operation[] = [
  pause,
  resume,
  stop,
  cancel,
  limits,
  answer,
  guide,
  retry,
  fork,
]
