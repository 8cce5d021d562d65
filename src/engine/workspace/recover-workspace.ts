/**
 * Prepares the files of a run that is resumed.
 *
 * E2. After a crash they are restored to the tree that the unfinished step started on; what it left is
 *     saved as a separate tree. After a graceful stop they are not touched, and changes that people made
 *     in between are kept; the same is possible after a crash, on request.
 */

import type { RunState, TreeId, WorkspaceChanged } from '../../loop/index.ts'
import type { Workspace } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import type { RecordedSteps } from '../steps/recorded-steps.ts'

export async function recoverWorkspace(
  workspace: Workspace | undefined,
  before: RunState,
  steps: RecordedSteps,
  recorder: Recorder,
  keepFiles = false,
): Promise<void> {
  const unfinished = startOf(steps)
  const tree = unfinished ?? before.tree
  if (workspace === undefined || tree === undefined) return
  const found = await foundTree(workspace)
  const { suspendedTree } = before
  // While a question or a sleep was open, people may have changed the files.
  const inGoodOrder = suspendedTree !== undefined && unfinished === undefined
  if (found === undefined) {
    await workspace.restore(tree)
    return
  }
  if (found === tree || (inGoodOrder && found === suspendedTree)) return
  if (inGoodOrder || keepFiles) {
    const event = { type: 'workspace-changed', why: 'changed-outside', found, tree: found } as const
    return recorder.record([event], { trees: [found] })
  }
  await recorder.record(
    [
      {
        type: 'workspace-changed',
        why: before.status === 'pending' ? 'restored' : 'unfinished-step',
        found,
        tree,
        ...(await counted(workspace, found, tree)),
      },
    ],
    {
      trees: [found],
    },
  )
  await workspace.restore(tree)
}

/** Restores the files for an iteration that restarts; other content that is found is saved. */
export async function restartWorkspace(
  workspace: Workspace | undefined,
  tree: TreeId | undefined,
  recorder: Recorder,
): Promise<void> {
  if (workspace === undefined || tree === undefined) return
  const found = await foundTree(workspace)
  if (found === tree) return
  if (found !== undefined) {
    const event = { type: 'workspace-changed', why: 'unfinished-step', found, tree } as const
    await recorder.record([event], { trees: [found] })
  }
  await workspace.restore(tree)
}

async function counted(
  workspace: Workspace,
  found: TreeId,
  tree: TreeId,
): Promise<Pick<WorkspaceChanged, 'files'>> {
  const changed = await workspace.changes?.(found, tree)
  return changed === undefined ? {} : { files: changed.length }
}

/** A fork, or a deleted folder: there is nothing to save. */
async function foundTree(workspace: Workspace): Promise<TreeId | undefined> {
  return (await workspace.exists()) ? workspace.snapshot() : undefined
}

/** Only one step at a time may change files, so at most one unfinished step has a tree. */
const startOf = (steps: RecordedSteps): TreeId | undefined =>
  steps.inFlight.find((step) => step.started.tree !== undefined)?.started.tree
