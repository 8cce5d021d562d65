/** The actions that a run requests by itself once its work is certified. */

import { type Fault, FaultError, type Question, type Rework } from '../../loop/index.ts'
import type { Branch } from '../live-run.ts'
import { act } from './act.ts'
import { askPerson } from './ask-person.ts'
import { isRecordedNext } from './ask-step.ts'

/**
 * One after the other. The work is certified whatever becomes of them: a failed action is a failed step, and does not
 * prevent the next one. An action can find that the work has to change first. Then the run continues if it can, and
 * this resolves with the fault; the actions follow once the work is certified again.
 */
export async function actWhenCertified(branch: Branch): Promise<ReworkFault | undefined> {
  for (const action of branch.iteration.run.ports.whenCertified ?? []) {
    try {
      await act(branch, action)
    } catch (error) {
      // Reaching a limit ends the run; a provider's rate limit continues the iteration later.
      if (!(error instanceof FaultError)) throw error
      if (error.fault.limit !== undefined || error.fault.code === 'rate-limited') throw error
      const { rework } = error.fault
      if (rework === undefined || !(await canContinue(branch, error.fault))) continue
      return { ...error.fault, rework }
    }
  }
  return undefined
}

export interface ReworkFault extends Fault {
  readonly rework: Rework
}

/**
 * In the last iteration that is allowed, a person decides: without them the action has failed, and the work stays
 * certified. E2. An iteration that is continued follows its recorded question.
 */
async function canContinue(branch: Branch, { message }: Fault): Promise<boolean> {
  const { run, number } = branch.iteration
  const { recorder, ports, answers } = run
  if (ports.workspace === undefined) return false
  const isLast = (): boolean => number >= recorder.state.limits.iterations
  if (!isLast() && !isRecordedNext(branch, { kind: 'ask', name: questionName })) return true
  const { answer, who = '' } = await askPerson(branch, questionName, questionAbout(message))
  if (answer !== more) return false
  // Unless that was already done before a crash.
  if (isLast()) {
    const limits = { iterations: number + moreIterations }
    await answers.submit({ type: 'change-limits', limits, reason: questionName }, who)
  }
  return true
}

const questionName = 'unmerged work'
/** Short, because the default does no harm. */
const deadlineMs = 15 * 60_000
const moreIterations = 3
const more = 'continue'
const keep = 'keep'

const questionAbout = (happened: string): Question => ({
  text: [
    happened,
    'The work is certified, but no iteration is left.',
    `${more}: up to ${moreIterations} more iterations merge it.`,
    `${keep}: the run ends, and the work stays on its branch. Merge it yourself.`,
  ].join('\n'),
  options: [more, keep],
  default: keep,
  deadlineMs,
  kinds: { accept: more, reject: keep, respond: more },
  evidence: { happened: [happened] },
})
