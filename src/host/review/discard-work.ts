/** Deletes the worktree and the branch of a run with all their content, and reports what was deleted. */

import type { Store } from '../../engine/index.ts'
import { type RunRow, readCreated } from '../../engine/index.ts'
import { defined, LoopError, type RunWorktree } from '../../loop/index.ts'
import { repositoryOf } from '../../runs/place-run.ts'
import {
  deleteBranch,
  findWorktree,
  listBranchCommits,
  type Repository,
  readWorktreeState,
  removeWorktree,
} from '../../workspace/index.ts'

export interface DiscardedWork {
  /** The deleted folder; absent: there was none. */
  readonly worktree?: string
  readonly branch?: string
  /** How many commits its branch had after its base. */
  readonly commits: number
  /** Paths with uncommitted changes. */
  readonly uncommitted: readonly string[]
}

const commitsMax = 10_000
const shownMax = 100

/** Snapshots are kept: `loopctl files` can still extract them. */
export async function discardWork(journal: Store, run: RunRow): Promise<DiscardedWork> {
  const { worktree } = await readCreated(journal, run.id)
  if (worktree === undefined) return { commits: 0, uncommitted: [] }
  const repository = await repositoryOf(worktree)
  const { key, branch, base } = worktree
  const range = { base: base.commit, head: `refs/heads/${branch}`, max: commitsMax }
  const commits = (await listBranchCommits(repository, range)).length
  const uncommitted = await uncommittedIn(repository, worktree)
  const path = defined({ path: run.workspace })
  const removed = await removeWorktree({ repository, key, discard: true, ...path })
  if (removed.status === 'kept') {
    const message = `The worktree of run "${run.name}" was kept: ${removed.why}.`
    throw new LoopError(
      'workspace-failed',
      `${message} Check ${removed.path}, and remove it yourself.`,
    )
  }
  // If the worktree was already removed, its branch may still exist.
  const isBranchGone = removed.status === 'removed' || (await deleteBranch(repository, branch))
  return {
    ...(removed.status === 'removed' ? { worktree: removed.path } : {}),
    ...(isBranchGone ? { branch } : {}),
    commits,
    uncommitted: uncommitted.slice(0, shownMax),
  }
}

async function uncommittedIn(
  repository: Repository,
  { key }: RunWorktree,
): Promise<readonly string[]> {
  const known = await findWorktree(repository, key)
  if (known === undefined) return []
  // What cannot be read is removed as well: the user confirmed it.
  return readWorktreeState(repository, known)
    .then(({ uncommitted }) => uncommitted)
    .catch(() => [])
}
