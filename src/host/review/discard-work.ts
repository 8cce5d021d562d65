/** Takes the worktree and the branch of a run away, whatever is in them, and says what that was. */

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
  /** The folder that went; absent: there was none. */
  readonly worktree?: string
  readonly branch?: string
  /** How many commits its branch had beyond what it began from. */
  readonly commits: number
  /** What was in no commit. */
  readonly uncommitted: readonly string[]
}

const commitsMax = 10_000
const shownMax = 100

/** Snapshots stay: what the record names can be had by `loopctl files`. */
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
    const message = `The worktree of run "${run.name}" stays: ${removed.why}.`
    throw new LoopError(
      'workspace-failed',
      `${message} Look at ${removed.path}, and remove it by hand.`,
    )
  }
  // It went before; its branch may not have.
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
