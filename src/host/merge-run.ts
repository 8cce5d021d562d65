/** Merges the work of a completed run into a branch. No checkout is touched. */

import { loadRun, readCreated } from '../engine/index.ts'
import { recordReview } from '../history/review.ts'
import { defined, LoopError, type TreeId } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { repositoryOf } from '../runs/place-run.ts'
import {
  type MergeResult,
  type MergeStrategy,
  mergeTargetDefault,
  mergeWork,
  openGitTrees,
  type Repository,
} from '../workspace/index.ts'

export interface MergeOptions {
  /** A branch, created if it does not exist. Default: `agent/<loop>`. */
  readonly into?: string
  /** One squashed commit, or all commits. Default: one. */
  readonly strategy?: MergeStrategy
  /** The person who merges, for the journal. */
  readonly by?: string
}

export async function mergeRun(
  { journal }: HostPorts,
  idOrName: string,
  { into, strategy, by }: MergeOptions = {},
): Promise<MergeResult> {
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
  const { key, branch, base } = worktree
  const repository = await repositoryOf(worktree)
  const { certificate } = (await loadRun(journal, run.id)).state
  await requireCertified(repository, run.name, branch, certificate?.tree)
  const result = await mergeWork({
    repository,
    key,
    branch,
    base: base.commit,
    target: into ?? mergeTargetDefault(run.loop),
    message: `${run.loop}: ${run.name}\n\nLoopwright-Run: ${run.id}`,
    ...defined({ strategy }),
  })
  if (result.status !== 'conflict') {
    const commit = result.status === 'merged' ? { commit: result.commit } : {}
    const review = { status: 'merged', branch: result.target, ...commit } as const
    await recordReview({ journal }, run.id, by === undefined ? review : { ...review, by })
  }
  return result
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
