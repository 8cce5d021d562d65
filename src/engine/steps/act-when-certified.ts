/** The actions that a run requests by itself once its work is certified. */

import { FaultError } from '../../loop/index.ts'
import type { Branch } from '../live-run.ts'
import { act } from './act.ts'

/**
 * One after the other. The work is certified whatever becomes of them: a failed action is a failed step, and does not
 * prevent the next one.
 */
export async function actWhenCertified(branch: Branch): Promise<void> {
  for (const action of branch.iteration.run.ports.whenCertified ?? []) {
    try {
      await act(branch, action)
    } catch (error) {
      // Reaching a limit ends the run; a provider's rate limit continues the iteration later.
      if (!(error instanceof FaultError)) throw error
      if (error.fault.limit !== undefined || error.fault.code === 'rate-limited') throw error
    }
  }
}
