/** Steps that wait: a question to a person, and sleep. After a resume both continue their wait. */

import {
  type Answer,
  findQuestionProblem,
  LoopError,
  limitEvidence,
  type Question,
  questionDeadlineMs,
  type StepFinished,
  type StepStarted,
  toJson,
} from '../../loop/index.ts'
import { answerOf, toApplied } from '../control.ts'
import { type Branch, isLate, type LiveIteration, requireOpen, unanswered } from '../live-run.ts'
import { questionId } from '../question-id.ts'
import { takeTurn } from '../start-turn.ts'
import { follow, nextId, replay, takeRecorded } from './ask-step.ts'
import { waitUntil } from './perform-step.ts'
import type { RecordedStep } from './recorded-steps.ts'

export async function askPerson(
  branch: Branch,
  name: string,
  asked: Question,
  /** The part of the answer that the state keeps. */
  finished: (answer: Answer) => Pick<StepFinished, 'allows'> = () => ({}),
): Promise<Answer> {
  if (isLate(branch)) return unanswered()
  const problem = findQuestionProblem(asked)
  if (problem !== undefined) {
    throw new LoopError(
      'bad-request',
      `The question "${name}" cannot be asked: ${problem}. Change it in the loop.`,
    )
  }
  const { iteration } = branch
  const { run } = iteration
  const { evidence } = asked
  const question = evidence === undefined ? asked : { ...asked, evidence: limitEvidence(evidence) }
  const id = nextId(branch, { kind: 'ask', name })
  const recorded = takeRecorded(branch, id)
  const completion = recorded?.completion
  const work = async (): Promise<Answer> => {
    if (completion !== undefined) return (await replay(iteration, completion)) as unknown as Answer
    const afterMs = question.deadlineMs ?? questionDeadlineMs
    const started = await startWait(branch, recorded, afterMs, {
      kind: 'ask',
      role: name,
      step: id,
      question,
    })
    const stored = await run.answers.wait(
      questionId(iteration.number, id),
      question,
      started.wakeAtMs,
    )
    const answer = answerOf(stored)
    const durable = run.recorder.record([
      toApplied(stored),
      {
        type: 'step-finished',
        iteration: iteration.number,
        step: id,
        attempt: started.attempt,
        kind: 'ask',
        role: name,
        result: { value: toJson(answer) },
        ...finished(answer),
      },
    ])
    await handOver(iteration, durable)
    return answer
  }
  return follow(branch, work)
}

export async function sleepStep(branch: Branch, name: string, ms: number): Promise<void> {
  if (isLate(branch)) return unanswered()
  if (!Number.isFinite(ms) || ms < 0) {
    throw new LoopError(
      'bad-request',
      `The sleep "${name}" needs a number of milliseconds, not ${ms}.`,
    )
  }
  const { iteration } = branch
  const id = nextId(branch, { kind: 'sleep', name })
  const recorded = takeRecorded(branch, id)
  const completion = recorded?.completion
  const work = async (): Promise<void> => {
    if (completion !== undefined) {
      await replay(iteration, completion)
      return
    }
    const started = await startWait(branch, recorded, ms, { kind: 'sleep', role: name, step: id })
    await waitUntil(iteration, started.wakeAtMs)
    const durable = iteration.run.recorder.record([
      {
        type: 'step-finished',
        iteration: iteration.number,
        step: id,
        attempt: started.attempt,
        kind: 'sleep',
        role: name,
      },
    ])
    await handOver(iteration, durable)
  }
  await follow(branch, work)
}

/** The end of a wait was just recorded; it is delivered in its order. */
async function handOver(iteration: LiveIteration, durable: Promise<void>): Promise<void> {
  iteration.waited = true
  const { seq } = iteration.run.recorder.state
  iteration.delivery.expect(seq)
  await durable
  await iteration.delivery.hand(seq)
}

/** Journals the start of a wait; its end time was fixed when it first started. */
async function startWait(
  branch: Branch,
  recorded: RecordedStep | undefined,
  ms: number,
  fields: Pick<StepStarted, 'kind' | 'role' | 'step' | 'question'>,
): Promise<{ readonly wakeAtMs: number; readonly attempt: number }> {
  const { iteration } = branch
  const { run } = iteration
  const inTurn = takeTurn(branch)
  try {
    if (inTurn.before !== undefined) await inTurn.before
    requireOpen(iteration)
    const { clock, waitMsMax = ms } = run.ports
    const wakeAtMs = recorded?.started.wakeAtMs ?? clock.now() + Math.min(ms, waitMsMax)
    const attempt = (recorded?.attempts ?? 0) + 1
    const durable = run.recorder.record([
      { type: 'step-started', iteration: iteration.number, attempt, wakeAtMs, ...fields },
    ])
    inTurn.started()
    await durable
    return { wakeAtMs, attempt }
  } finally {
    inTurn.started()
  }
}
