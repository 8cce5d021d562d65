/** Merges the work of a completed run into a branch. No checkout is touched. */

import { mergeExecutor } from '../authority/index.ts'
import { loadRun, type RunRow, readCreated } from '../engine/index.ts'
import { recordReview } from '../history/review.ts'
import { openRunRepository } from '../launch/authority/run-repository.ts'
import { defined, LoopError, type RunWorktree, type TreeId } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { repositoryOf } from '../runs/place-run.ts'
import {
  type MergeResult,
  type MergeStrategy,
  mergeTargetDefault,
  openGitTrees,
  type Repository,
} from '../workspace/index.ts'
import { actAsPerson } from './act-as-person.ts'

export interface MergeOptions {
  /** A branch, created if it does not exist. Default: `agent/<loop>`. */
  readonly into?: string
  /** One squashed commit, or all commits. Default: one. */
  readonly strategy?: MergeStrategy
  /** The person who merges, for the journal. */
  readonly by?: string
  /** About an earlier merge whose result is unknown: it happened, or is to be done again. */
  readonly earlier?: 'happened' | 'again'
}

export async function mergeRun(
  base: HostPorts,
  idOrName: string,
  choice: MergeOptions = {},
): Promise<MergeResult> {
  const { into, by } = choice
  const run = await base.journal.findRun(idOrName)
  const { worktree } = await readCreated(base.journal, run.id)
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
  const { branch } = worktree
  const repository = await repositoryOf(worktree)
  const { certificate } = (await loadRun(base.journal, run.id)).state
  await requireCertified(repository, run.name, branch, certificate?.tree)
  const target = into ?? mergeTargetDefault(run.loop)
  const result = await mergeAsPerson(base, run, { ...choice, target, worktree, repository })
  if (result.status !== 'conflict') {
    const commit = result.status === 'merged' ? { commit: result.commit } : {}
    const review = { status: 'merged', branch: result.target, ...commit } as const
    await recordReview(base, run.id, by === undefined ? review : { ...review, by })
  }
  return result
}

interface MergeRequest extends MergeOptions {
  readonly target: string
  readonly worktree: RunWorktree
  readonly repository: Repository
}

/** The same gate and receipts as for actions of a run: who merges is the approval. */
async function mergeAsPerson(
  base: HostPorts,
  run: RunRow,
  { target, strategy, by, earlier, worktree, repository }: MergeRequest,
): Promise<MergeResult> {
  const { id, name, loop } = run
  const work = openRunRepository({ repository, worktree, run: { id, name }, loop })
  const tree = await openGitTrees(repository).resolveTree(`refs/heads/${worktree.branch}`)
  let conflict: MergeResult | undefined
  const actions = mergeExecutor({
    ...work,
    async merge(request) {
      const result = await work.merge(request)
      if (result.status === 'conflict') conflict = { ...result, branch: worktree.branch }
      return result
    },
  })
  const details = { into: target, ...defined({ strategy }) }
  const action = { kind: 'merge', summary: `Merge ${name} into ${target}`, details }
  try {
    const files = await listChanges(repository, worktree, tree)
    const request = { action, actions, by, tree, files, repository, earlier }
    const { receipt, isEarlier } = await actAsPerson(base, run, request)
    if (isEarlier) return { status: 'nothing', target }
    const { commit } = (receipt.details ?? {}) as { readonly commit?: string }
    return commit === undefined
      ? { status: 'nothing', target }
      : { status: 'merged', target, commit }
  } catch (error) {
    if (conflict !== undefined) return conflict
    throw error
  }
}

/** The files that differ from the base of the run. */
export async function listChanges(
  repository: Repository,
  { base }: Pick<RunWorktree, 'base'>,
  tree: TreeId | undefined,
): Promise<readonly string[]> {
  const trees = openGitTrees(repository)
  const before = await trees.resolveTree(base.commit)
  if (before === undefined || tree === undefined) return []
  return trees.changes(before, tree)
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
