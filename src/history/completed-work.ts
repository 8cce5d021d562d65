/** The work of a run that is completed, on its branch. */

import { loadRun, type RunRow, readCreated, type Store } from '../engine/index.ts'
import { LoopError, type RunState, type RunWorktree, type TreeId } from '../loop/index.ts'
import { repositoryOf } from '../runs/place-run.ts'
import { openGitTrees, type Repository } from '../workspace/index.ts'

export interface CompletedWork {
  readonly run: RunRow
  readonly worktree: RunWorktree
  readonly repository: Repository
  readonly certificate: RunState['certificate']
}

/** Rejects with `bad-request` without a branch, and with `wrong-status` if nothing vouches for it. */
export async function requireCompletedWork(
  journal: Store,
  idOrName: string,
): Promise<CompletedWork> {
  const run = await journal.findRun(idOrName)
  const { worktree } = await readCreated(journal, run.id)
  if (worktree === undefined) {
    const where = run.workspace === undefined ? 'on no files' : `in ${run.workspace} itself`
    const message = `Run "${run.name}" worked ${where}. There is no branch to merge.`
    throw new LoopError('bad-request', message)
  }
  if (run.status !== 'completed') {
    const message =
      `Run "${run.name}" is not completed (${run.status}), so no check vouches for its work. ` +
      `Look at it with: loopctl diff ${run.name}. To merge it anyway: git merge ${worktree.branch}`
    throw new LoopError('wrong-status', message)
  }
  const repository = await repositoryOf(worktree)
  const { certificate } = (await loadRun(journal, run.id)).state
  await requireCertified(repository, run.name, worktree.branch, certificate?.tree)
  return { run, worktree, repository, certificate }
}

/** The branch may have later commits. Runs from before there were certificates have none. */
export async function requireCertified(
  repository: Repository,
  name: string,
  branch: string,
  certified: TreeId | undefined,
): Promise<void> {
  if (certified === undefined) return
  const found = await openGitTrees(repository).resolveTree(`refs/heads/${branch}`)
  if (found === undefined || found === certified) return
  const message =
    `${branch} has commits after the tree that run "${name}" was certified with. ` +
    `Revert them, or certify them (loopctl certify) and merge it yourself: git merge ${branch}`
  throw new LoopError('wrong-status', message)
}
