/** Removes worktrees of ended runs whose work is merged. It is safe to repeat: nothing else is ever removed. */

import type { Actions } from '../../engine/index.ts'
import { plural } from '../../loop/excerpt/plural.ts'
import { definite, done, notDone } from './executor.ts'

export interface CleanUpPorts {
  /** Resolves with the folders that were removed. */
  clean(): Promise<readonly string[]>
}

export const cleanUpExecutor = ({ clean }: CleanUpPorts): Actions => ({
  async perform() {
    const removed = await definite(clean)
    return done(`removed ${plural(removed.length, 'worktree')}`, { removed: [...removed] })
  },
  find: async () => notDone,
})
