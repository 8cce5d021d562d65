/** The open questions of a run. */

import type { OpenQuestion, RunId } from '../loop/index.ts'
import { type LoadedRun, loadRun } from './load-run.ts'
import type { Journal } from './ports.ts'
import { questionId } from './question-id.ts'
import { readSteps } from './steps/recorded-steps.ts'

export async function openQuestions(
  journal: Journal,
  run: RunId,
): Promise<readonly OpenQuestion[]> {
  return questionsOf(journal, run, await loadRun(journal, run))
}

/** The same for callers that have already loaded the run. */
export async function questionsOf(
  journal: Journal,
  run: RunId,
  { state, openEvents }: LoadedRun,
): Promise<readonly OpenQuestion[]> {
  if (state.outcome !== undefined) return []
  const decided = new Set(
    (await journal.pendingDecisions(run)).flatMap(({ decision }) =>
      decision.type === 'answer' ? [decision.question] : [],
    ),
  )
  return readSteps(openEvents).inFlight.flatMap(({ id, started }) => {
    const { question, wakeAtMs, iteration, step } = started
    const asked = openEvents.find(({ event }) => event.type === 'step-started' && event.step === id)
    if (question === undefined || wakeAtMs === undefined) return []
    const name = questionId(iteration, step)
    if (decided.has(name)) return []
    return [{ id: name, question, askedAtMs: asked?.atMs ?? 0, deadlineAtMs: wakeAtMs }]
  })
}
