/** What walls keep from commands in a workspace, for whatever works there without walls. */

import { existsSync, realpathSync } from 'node:fs'
import { gitMounts } from './git-mounts.ts'
import type { SandboxPlace } from './sandbox-type.ts'

export interface ProtectedPaths {
  readonly hidden: readonly string[]
  readonly readOnly: readonly string[]
}

/** As it is now: what is in the workspace changes. */
export function protectedPaths({
  workspace,
  hide = [],
  readOnly = [],
}: Pick<SandboxPlace, 'workspace' | 'hide' | 'readOnly'>): ProtectedPaths {
  if (!existsSync(workspace)) return { hidden: hide, readOnly }
  const git = gitMounts(realpathSync(workspace))
  return { hidden: [...hide, ...git.hide], readOnly: [...readOnly, ...git.readOnly] }
}
