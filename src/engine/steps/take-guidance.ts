/**
 * Delivers what people told the run, to the context of an iteration or to a working agent. The delivery is on disk before
 * anything depends on it (E1).
 */

import {
  type AgentGuidance,
  type Guidance,
  guidanceOfIteration,
  isWaiting,
  type OpenGuidance,
  type StepId,
  toGuidance,
} from '../../loop/index.ts'
import { type Branch, isLate, unanswered } from '../live-run.ts'

export async function takeGuidance(branch: Branch): Promise<readonly Guidance[]> {
  if (isLate(branch)) return unanswered()
  const { number, run } = branch.iteration
  const { guidance, open } = run.recorder.state
  const found = guidanceOfIteration(guidance, number, open?.fromSeq ?? 0)
  return deliver(branch, found, undefined)
}

export function agentGuidance(branch: Branch, step: StepId): AgentGuidance {
  const { recorder } = branch.iteration.run
  const find = (): readonly OpenGuidance[] => recorder.state.guidance.filter(isWaiting)
  return {
    get waiting() {
      return find().length
    },
    take: () => deliver(branch, find(), step),
  }
}

async function deliver(
  branch: Branch,
  found: readonly OpenGuidance[],
  step: StepId | undefined,
): Promise<readonly Guidance[]> {
  const { number: iteration, run } = branch.iteration
  const ids = found.filter(isWaiting).map(({ id }) => id)
  if (ids.length > 0) {
    const to = step === undefined ? {} : { step }
    await run.recorder.record([{ type: 'guidance-delivered', ids, iteration, ...to }])
  }
  return found.map(toGuidance)
}
