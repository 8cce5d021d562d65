/** The actions that a run requests by itself once its work is certified. */

import { type Fault, FaultError, type Rework } from '../../loop/index.ts'
import type { Branch } from '../live-run.ts'
import { act } from './act.ts'

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
      if (rework !== undefined && canContinue(branch)) return { ...error.fault, rework }
    }
  }
  return undefined
}

export interface ReworkFault extends Fault {
  readonly rework: Rework
}

/** In the last iteration that is allowed, the action has failed. */
const canContinue = ({ iteration: { run, number } }: Branch): boolean =>
  run.ports.workspace !== undefined && number < run.recorder.state.limits.iterations
