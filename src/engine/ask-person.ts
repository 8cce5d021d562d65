/** Waits that are steps: a question to a person, and sleep. Both go on where they were. */

import {
  type Answer,
  type Json,
  LoopError,
  type Question,
  questionDeadlineMs,
  questionProblem,
  type StepStarted,
  toJson,
} from '../loop/index.ts'
import { nextId, noticeRefusal, replay, takeRecorded } from './ask-step.ts'
import { answerOf } from './control.ts'
import type { Branch } from './live-run.ts'
import { waitUntil } from './perform-step.ts'
import type { RecordedStep } from './recorded-steps.ts'

/** Known to the inbox by this. */
export const questionId = (iteration: number, step: string): string => `${iteration}/${step}`

export async function askPerson(branch: Branch, name: string, question: Question): Promise<Answer> {
  const problem = questionProblem(question)
  if (problem !== undefined) {
    throw new LoopError('bad-request', `The question "${name}" cannot be asked: ${problem}.`)
  }
  const { iteration } = branch
  const { run } = iteration
  const id = nextId(branch, { kind: 'ask', name })
  const recorded = takeRecorded(branch, id)
  if (recorded?.completion !== undefined) {
    return (await replay(iteration, recorded.completion)) as unknown as Answer
  }
  const work = async (): Promise<Answer> => {
    const afterMs = question.deadlineMs ?? questionDeadlineMs
    const started = await startWait(branch, recorded, afterMs, {
      kind: 'ask',
      step: id,
      question,
    })
    const asked = questionId(iteration.number, id)
    const stored = await run.answers.wait(asked, question, started.wakeAtMs)
    const answer = answerOf(stored)
    await run.recorder.record([
      { type: 'decision-applied', id: stored.id, by: stored.by, decision: stored.decision },
      {
        type: 'step-finished',
        iteration: iteration.number,
        step: id,
        attempt: started.attempt,
        result: { value: toJson(answer) },
      },
    ])
    await iteration.delivery.live()
    return answer
  }
  return noticeRefusal(branch, work())
}

export async function sleepStep(branch: Branch, name: string, ms: number): Promise<void> {
  if (!Number.isFinite(ms) || ms < 0) {
    throw new LoopError('bad-request', `Sleep "${name}" needs a number of milliseconds, not ${ms}.`)
  }
  const { iteration } = branch
  const id = nextId(branch, { kind: 'sleep', name })
  const recorded = takeRecorded(branch, id)
  if (recorded?.completion !== undefined) {
    await replay(iteration, recorded.completion)
    return
  }
  const work = async (): Promise<Json | undefined> => {
    const started = await startWait(branch, recorded, ms, { kind: 'sleep', step: id })
    await waitUntil(iteration.run, started.wakeAtMs)
    await iteration.run.recorder.record([
      {
        type: 'step-finished',
        iteration: iteration.number,
        step: id,
        attempt: started.attempt,
      },
    ])
    await iteration.delivery.live()
    return undefined
  }
  await noticeRefusal(branch, work())
}

/** Journals the start of a wait; the moment it ends was fixed when it first started. */
async function startWait(
  branch: Branch,
  recorded: RecordedStep | undefined,
  ms: number,
  fields: Pick<StepStarted, 'kind' | 'step' | 'question'>,
): Promise<{ readonly wakeAtMs: number; readonly attempt: number }> {
  const { iteration } = branch
  const { run } = iteration
  run.interrupter.check()
  if (iteration.halt !== undefined) throw run.interrupter.refuse()
  const wakeAtMs = recorded?.started.wakeAtMs ?? run.ports.clock.now() + ms
  const attempt = (recorded?.attempts ?? 0) + 1
  await run.recorder.record([
    { type: 'step-started', iteration: iteration.number, attempt, wakeAtMs, ...fields },
  ])
  return { wakeAtMs, attempt }
}
