/** What a command may touch that works in a copy of the workspace: the same, but nothing of the workspace itself. */

import type { SandboxSpec, Tier } from '../sandbox/index.ts'
import { pathInside } from '../system/index.ts'
import type { WorkspaceCopy } from './opened-sandbox.ts'

export function inCopy(
  { workspace, readOnly = [], hide: _hide, workspaceOverlay: _writes, ...inside }: SandboxSpec,
  { path, overlayFolder }: WorkspaceCopy,
  tier: Tier,
): SandboxSpec {
  return {
    ...inside,
    workspace: path,
    readOnly: readOnly.filter((one) => pathInside(workspace, one) === undefined),
    // Output that contains its own path is the same in each copy.
    ...(tier === 'strong' ? { sandboxPath: workspace } : {}),
    ...(overlayFolder === undefined ? {} : { workspaceOverlay: { folder: overlayFolder } }),
  }
}
