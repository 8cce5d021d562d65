/** What a sandbox hides or makes read-only in a workspace, for tools that work there without a sandbox. */

import { existsSync, realpathSync } from 'node:fs'
import { gitMounts } from './git-mounts.ts'
import type { SandboxSpec } from './sandbox-type.ts'

export interface ProtectedPaths {
  readonly hidden: readonly string[]
  readonly readOnly: readonly string[]
}

/** Computed for the current content of the workspace, which changes. */
export function protectedPaths({
  workspace,
  hide = [],
  readOnly = [],
}: Pick<SandboxSpec, 'workspace' | 'hide' | 'readOnly'>): ProtectedPaths {
  if (!existsSync(workspace)) return { hidden: hide, readOnly }
  const git = gitMounts(realpathSync(workspace))
  return { hidden: [...hide, ...git.hide], readOnly: [...readOnly, ...git.readOnly] }
}
