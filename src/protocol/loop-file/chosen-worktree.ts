/** The worktree of a new run: the loop file's settings, and what only the user can set. */

import type { WorktreeSettings } from './loop-file.ts'

export interface ChosenWorktree extends WorktreeSettings {
  readonly worktrunk?: { readonly program?: string; readonly configPath?: string }
}
