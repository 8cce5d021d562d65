/**
 * Merges the work of a run into another branch, in memory.
 *
 * 1. No checkout is touched: a branch that is checked out anywhere is not moved.
 * 2. The branch moves only from its last known commit (E10); commits that others added meanwhile are merged.
 * 3. A conflict changes nothing and lists the files. Nothing is sent to another machine.
 */

import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { Tools } from '../worktree/open-work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from '../worktree/worktree-files.ts'
import { readRecord, writeRecord } from '../worktree/worktree-record.ts'
import { writeCommitObject } from './commit-tree.ts'
import { createMergeLocation, mergeTrees, readTreeId } from './merge-trees.ts'
import { requireBranchName, toSlug } from './names.ts'
import { branchRef, changeRef, type ObjectId, resolveCommit } from './refs.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'
import { readBelow } from './small-file.ts'

export type MergeStrategy = 'squash' | 'merge'
export const mergeStrategyDefault: MergeStrategy = 'squash'

/** The default target: one branch for all runs of a task. */
export const mergeTargetDefault = (task: string): string => `agent/${toSlug(task)}`

export interface MergeWorkOptions {
  readonly repository: Repository
  /** Identifies its worktree, which may no longer exist; its branch must. */
  readonly key: string
  readonly branch: string
  /** The first commit of a target branch that does not exist yet. */
  readonly base: ObjectId
  readonly target: string
  readonly strategy?: MergeStrategy
  readonly message: string
  /** Called before the branch is moved; an error prevents the move (a fence). */
  readonly beforeRef?: () => Promise<void>
  readonly git?: Tools['git']
  readonly files?: WorktreeFiles
}

/** How a merge ended: merged, nothing to merge, or conflicts. */
export type MergeResult =
  | { readonly status: 'merged'; readonly target: string; readonly commit: ObjectId }
  /** The target has all of it already. */
  | { readonly status: 'nothing'; readonly target: string }
  | {
      readonly status: 'conflict'
      readonly target: string
      /** The branch to merge. */
      readonly branch: string
      readonly files: readonly string[]
    }

const triesMax = 5
const landingsMax = 20

export async function mergeWork(options: MergeWorkOptions): Promise<MergeResult> {
  const tools = { git: options.git ?? runGit, files: options.files ?? worktreeFiles }
  const result = await mergeInto(tools, options)
  if (result.status !== 'conflict') await recordLanding(tools.files, options)
  return result
}

/** Tells the clean-up that the work is safe. */
async function recordLanding(
  files: WorktreeFiles,
  { repository, key, target }: MergeWorkOptions,
): Promise<void> {
  const record = await readRecord(files, repository, key)
  if (record?.state !== 'ready' || record.landedOn?.includes(target) === true) return
  const landedOn = [...(record.landedOn ?? []), target].slice(-landingsMax)
  await writeRecord(files, repository, { ...record, landedOn })
}

async function mergeInto(
  tools: Pick<Tools, 'git' | 'files'>,
  options: MergeWorkOptions,
): Promise<MergeResult> {
  const { repository, branch, base, strategy = mergeStrategyDefault } = options
  const target = requireBranchName(options.target)
  const theirs = await resolveCommit(tools.git, repository, branchRef(branch))
  if (theirs === undefined) {
    const message = `There is no branch ${branch} in ${repository.home}, so nothing can be merged. To list the branches, run: git branch`
    throw new LoopError('workspace-failed', message)
  }
  for (let tries = 1; tries <= triesMax; tries += 1) {
    await requireNotCheckedOut(tools.files, repository, target, branch)
    const tip = await resolveCommit(tools.git, repository, branchRef(target))
    const ours = tip ?? base
    const merge = await mergeTrees(tools, repository, ours, theirs)
    if (merge.type === 'unrelated') throw unrelated(branch, target)
    if (merge.type === 'conflict') return { status: 'conflict', target, branch, files: merge.files }
    if (merge.tree === (await readTreeId(tools, repository, ours)))
      return { status: 'nothing', target }
    const at = await createMergeLocation(tools, repository)
    const parents = strategy === 'squash' ? [ours] : [ours, theirs]
    const commit = await writeCommitObject(
      tools.git,
      at,
      merge.tree,
      parents,
      `${options.message}\n`,
    )
    await options.beforeRef?.()
    const reason = `loopwright: ${strategy} of ${branch}`
    const change = { ref: branchRef(target), to: commit, from: tip, reason }
    if (await changeRef(tools.git, repository, change)) return { status: 'merged', target, commit }
  }
  const advice = 'Stop the process that moves it, then try again.'
  const message = `Another process keeps moving the branch ${target}.`
  throw new LoopError('workspace-failed', `${message} ${advice}`)
}

const unrelated = (branch: string, target: string): LoopError =>
  new LoopError(
    'workspace-failed',
    `${branch} and ${target} have no common history. Merge into another branch.`,
  )

/** Otherwise the files of the checkout would no longer match its branch. */
async function requireNotCheckedOut(
  files: WorktreeFiles,
  repository: Repository,
  target: string,
  branch: string,
): Promise<void> {
  const { commonDir } = repository
  const folder = join(commonDir, 'worktrees')
  const linked = await files.readdir(folder).catch(() => [])
  for (const dir of [commonDir, ...linked.map((name) => join(folder, name))]) {
    const head = (await readBelow(files, commonDir, join(dir, 'HEAD')).catch(() => undefined)) ?? ''
    if (head.trimEnd() !== `ref: ${branchRef(target)}`) continue
    // A bare repository has a HEAD but no files.
    if (dir === commonDir && repository.home === commonDir) continue
    throw new LoopError(
      'wrong-status',
      `The branch ${target} is checked out, and its files would no longer match. Merge there (git merge ${branch}), or use another branch (--into).`,
    )
  }
}
