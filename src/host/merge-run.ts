/** Merges the work of a completed run into a branch, through the merge queue. No checkout is touched. */

import { mergeExecutor } from '../authority/index.ts'
import type { IdleReceipt } from '../engine/index.ts'
import { type CompletedWork, requireCompletedWork } from '../history/completed-work.ts'
import { recordReview } from '../history/review.ts'
import { openRunRepository } from '../launch/authority/run-repository.ts'
import { createEndedRunCertifier, type EndedRunHost } from '../launch/landing/certify-ended-run.ts'
import { createLand } from '../launch/landing/create-land.ts'
import { defined, type RunWorktree, type TreeId } from '../loop/index.ts'
import { mergeTargetDefault, openGitTrees, type Repository } from '../workspace/index.ts'
import { actAsPerson } from './act-as-person.ts'

export type MergeStrategy = 'squash' | 'merge'

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

/** How a merge ended: merged, nothing to merge, or a conflict. */
export type MergeResult =
  | {
      readonly status: 'merged'
      readonly target: string
      readonly commit: string
      /** Of the merged files. Absent: they are those that the run was certified with. */
      readonly certificate?: string
    }
  /** The target has all of it already. */
  | { readonly status: 'nothing'; readonly target: string }
  | {
      readonly status: 'conflict'
      readonly target: string
      /** The branch to merge. */
      readonly branch: string
      /** Empty: the merged files do not pass the checks. */
      readonly files: readonly string[]
      readonly reason: string
    }

export async function mergeRun(
  base: EndedRunHost,
  idOrName: string,
  choice: MergeOptions = {},
): Promise<MergeResult> {
  const { into, by } = choice
  const work = await requireCompletedWork(base.journal, idOrName)
  const { run } = work
  const target = into ?? mergeTargetDefault(run.loop)
  const result = await mergeAsPerson(base, work, { ...choice, target })
  if (result.status !== 'conflict') {
    const commit = result.status === 'merged' ? { commit: result.commit } : {}
    const review = { status: 'merged', branch: result.target, ...commit } as const
    await recordReview(base, run.id, by === undefined ? review : { ...review, by })
  }
  return result
}

/** The same gate and receipts as for actions of a run: who merges is the approval. */
async function mergeAsPerson(
  base: EndedRunHost,
  { run, worktree, repository }: CompletedWork,
  { target, strategy, by, earlier }: MergeOptions & { readonly target: string },
): Promise<MergeResult> {
  const { id, name, loop } = run
  const land = createLand(base, createEndedRunCertifier(base, { run, worktree, repository }))
  const work = openRunRepository({ repository, worktree, run: { id, name }, loop, land })
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
    return toResult(target, await actAsPerson(base, run, request))
  } catch (error) {
    if (conflict?.status === 'conflict') {
      const { branch, files, reason } = conflict
      return { status: 'conflict', target, branch, files, reason }
    }
    throw error
  }
}

/** The result that a receipt tells about. */
export function toResult(target: string, { receipt, isEarlier }: IdleReceipt): MergeResult {
  const { commit, certificate } = (receipt.details ?? {}) as {
    readonly commit?: string
    readonly certificate?: string
  }
  if (isEarlier || commit === undefined) return { status: 'nothing', target }
  return { status: 'merged', target, commit, ...defined({ certificate }) }
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
