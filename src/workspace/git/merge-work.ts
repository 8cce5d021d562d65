/**
 * Lands the work of a run on another branch, in memory.
 *
 * 1. No checkout is touched: a branch that is checked out anywhere is not moved.
 * 2. The branch moves only from where it was seen (E10); what others landed meanwhile is merged with.
 * 3. A conflict changes nothing and says which files. Nothing is ever sent to another machine.
 */

import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { writeCommitOf } from './commit-tree.ts'
import { mergePlace, mergeTrees, treeOf } from './merge-trees.ts'
import { requireBranchName, slug } from './names.ts'
import type { Tools } from './open-work-tree.ts'
import { branchRef, changeRef, commitOf, type ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'
import { readBelow } from './small-file.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { readRecord, writeRecord } from './worktree-record.ts'

export type MergeStrategy = 'squash' | 'merge'
export const mergeStrategyDefault: MergeStrategy = 'squash'

/** Where work goes unless told: a branch for all runs of one task. */
export const mergeTargetDefault = (task: string): string => `agent/${slug(task)}`

export interface MergeWorkOptions {
  readonly repository: Repository
  /** By which its worktree is known. That may be gone; its branch is not. */
  readonly key: string
  readonly branch: string
  /** The commit that a target begins with which is not there yet. */
  readonly base: ObjectId
  readonly target: string
  readonly strategy?: MergeStrategy
  readonly message: string
  /** Called before the branch is moved. What it throws stops that: a fence. */
  readonly beforeRef?: () => Promise<void>
  readonly git?: Tools['git']
  readonly files?: WorktreeFiles
}

/** How a merge ended: merged, nothing to merge, or conflicts. */
export type MergeResult =
  | { readonly status: 'merged'; readonly target: string; readonly commit: ObjectId }
  /** All of it is there already. */
  | { readonly status: 'nothing'; readonly target: string }
  | {
      readonly status: 'conflict'
      readonly target: string
      /** What is to be merged. */
      readonly branch: string
      readonly files: readonly string[]
    }

const triesMax = 5
const landingsMax = 20

export async function mergeWork(options: MergeWorkOptions): Promise<MergeResult> {
  const tools = { git: options.git ?? runGit, files: options.files ?? worktreeFiles }
  const result = await merged(tools, options)
  if (result.status !== 'conflict') await noteLanding(tools.files, options)
  return result
}

/** So that clean-up knows that its work is safe. */
async function noteLanding(
  files: WorktreeFiles,
  { repository, key, target }: MergeWorkOptions,
): Promise<void> {
  const record = await readRecord(files, repository, key)
  if (record?.state !== 'ready' || record.landedOn?.includes(target) === true) return
  const landedOn = [...(record.landedOn ?? []), target].slice(-landingsMax)
  await writeRecord(files, repository, { ...record, landedOn })
}

async function merged(
  tools: Pick<Tools, 'git' | 'files'>,
  options: MergeWorkOptions,
): Promise<MergeResult> {
  const { repository, branch, base, strategy = mergeStrategyDefault } = options
  const target = requireBranchName(options.target)
  const theirs = await commitOf(tools.git, repository, branchRef(branch))
  if (theirs === undefined) {
    const message = `There is no branch ${branch} in ${repository.home}. Nothing can be merged from it. See which there are: git branch`
    throw new LoopError('workspace-failed', message)
  }
  for (let tries = 1; tries <= triesMax; tries += 1) {
    await requireFree(tools.files, repository, target, branch)
    const tip = await commitOf(tools.git, repository, branchRef(target))
    const ours = tip ?? base
    const merge = await mergeTrees(tools, repository, ours, theirs)
    if (merge.type === 'unrelated') throw unrelated(branch, target)
    if (merge.type === 'conflict') return { status: 'conflict', target, branch, files: merge.files }
    if (merge.tree === (await treeOf(tools, repository, ours))) return { status: 'nothing', target }
    const at = await mergePlace(tools, repository)
    const parents = strategy === 'squash' ? [ours] : [ours, theirs]
    const commit = await writeCommitOf(tools.git, at, merge.tree, parents, `${options.message}\n`)
    await options.beforeRef?.()
    const reason = `loopwright: ${strategy} of ${branch}`
    const change = { ref: branchRef(target), to: commit, from: tip, reason }
    if (await changeRef(tools.git, repository, change)) return { status: 'merged', target, commit }
  }
  const advice = 'Stop what moves it, then try again.'
  throw new LoopError('workspace-failed', `The branch ${target} keeps being moved. ${advice}`)
}

const unrelated = (branch: string, target: string): LoopError =>
  new LoopError(
    'workspace-failed',
    `${branch} and ${target} have no history in common. Name another branch to merge into.`,
  )

/** Files of a checkout would no longer be what its branch says. */
async function requireFree(
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
    // A bare repository has a HEAD, and no files.
    if (dir === commonDir && repository.home === commonDir) continue
    throw new LoopError(
      'wrong-status',
      `The branch ${target} is checked out, and its files would no longer fit. Merge it there (git merge ${branch}), or name another branch (--into).`,
    )
  }
}
