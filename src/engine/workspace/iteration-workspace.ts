/** The workspace as the code of an iteration sees it: its files, and what changed since an earlier tree. */

import {
  type GitSummary,
  type IterationWorkspace,
  LoopError,
  type TreeId,
} from '../../loop/index.ts'
import type { LiveRun } from '../live-run.ts'
import type { Workspace } from '../ports.ts'

const changesMax = 1000
/** Of a patch that the code of a loop reads. */
const patchBytesMax = 200_000
const statusPathsMax = 200
const commitsMax = 20

/** Undefined if the run has no workspace. */
export function createIterationWorkspace({
  ports,
  recorder,
}: Pick<LiveRun, 'ports' | 'recorder'>): IterationWorkspace | undefined {
  const { workspace } = ports
  const { tree } = recorder.state
  if (workspace === undefined || tree === undefined) return undefined
  return {
    path: workspace.path,
    tree,
    changedSince: async (before) =>
      ((await workspace.changes?.(before, tree)) ?? []).slice(0, changesMax),
    patchSince: async (before) =>
      before === tree ? '' : ((await workspace.patch?.(before, tree, patchBytesMax)) ?? ''),
    read: (path) => supported(workspace.readText, 'read')(path),
    write: (path, text, options) => supported(workspace.writeText, 'write')(path, text, options),
    restore: (before) => workspace.restore(before),
    git: () => readGit(workspace, recorder.state.baseTree ?? tree, tree),
  }
}

async function readGit(
  workspace: Workspace,
  base: TreeId,
  tree: TreeId,
): Promise<GitSummary | undefined> {
  if (workspace.log === undefined) return undefined
  const changed = base === tree ? [] : ((await workspace.changes?.(base, tree)) ?? [])
  const more = changed.length - statusPathsMax
  return {
    status: [
      ...changed.slice(0, statusPathsMax),
      ...(more > 0 ? [`[${more} more files]`] : []),
    ].join('\n'),
    diff: base === tree ? '' : ((await workspace.patch?.(base, tree, patchBytesMax)) ?? ''),
    log: await workspace.log(commitsMax),
  }
}

function supported<T>(method: T | undefined, what: string): T {
  if (method !== undefined) return method
  const message = `This workspace cannot ${what} files for a loop.`
  throw new LoopError('not-configured', `${message} Use a folder or a git worktree.`)
}
