/**
 * Merges work onto a branch, in memory, and moves the branch.
 *
 * 1. No checkout is touched: a branch that is checked out anywhere is not moved.
 * 2. A branch moves only from its last known commit (E10), so commits of others are never lost.
 * 3. Nothing of the repository runs, and nothing is sent to another machine.
 */

import { LoopError, type TreeId, toSlug } from '../../loop/index.ts'
import { writeCommitObject } from '../git/commit-tree.ts'
import { findCheckout } from '../git/find-checkout.ts'
import { toTreeId } from '../git/git-tree-id.ts'
import { isAncestor } from '../git/is-ancestor.ts'
import { createMergeLocation, mergeTrees, readTreeId } from '../git/merge-trees.ts'
import { requireBranchName } from '../git/names.ts'
import { branchRef, changeRef, type ObjectId, resolveCommit } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { type WorktreeFiles, worktreeFiles } from '../worktree/worktree-files.ts'
import { readRecord, writeRecord } from '../worktree/worktree-record.ts'
import { findCommitByLine } from './commit-work.ts'

/** The default target: one branch for all runs of a task. */
export const mergeTargetDefault = (task: string): string => `agent/${toSlug(task)}`

export interface Landings {
  /** The commit of a branch. Undefined: there is no such branch. */
  tip(branch: string): Promise<ObjectId | undefined>
  treeOf(commit: ObjectId): Promise<TreeId>
  /** Creates the commit; no branch moves. */
  merge(onto: ObjectId, work: WorkToMerge): Promise<MergedWork>
  /** False: the branch is not at `from`, and was not moved. Rejects with `wrong-status` if it is checked out. */
  move(branch: string, change: BranchMove): Promise<boolean>
  /** Whether the history of a commit contains another. */
  contains(commit: ObjectId, earlier: ObjectId): Promise<boolean>
  /** The newest commit of a branch, after its base, whose message has this line. */
  find(branch: string, base: ObjectId, line: string): Promise<ObjectId | undefined>
  /** The folder of a checkout that is on this branch. */
  checkout(branch: string): Promise<string | undefined>
  /** Tells the clean-up that the work of a worktree is on this branch. */
  record(worktreeKey: string, branch: string): Promise<void>
}

export interface WorkToMerge {
  readonly commit: ObjectId
  /** One commit, a merge commit, or the commit itself if the target can move to it. */
  readonly strategy: 'squash' | 'merge' | 'fast-forward'
  readonly message: string
}

export type MergedWork =
  | { readonly type: 'merged'; readonly commit: ObjectId; readonly tree: TreeId }
  /** The target has all of it already. */
  | { readonly type: 'nothing'; readonly tree: TreeId }
  /** Conflicts are marked in the files of the tree. */
  | { readonly type: 'conflict'; readonly files: readonly string[]; readonly tree: TreeId }
  /** They have no common history, or the repository lacks part of it. */
  | { readonly type: 'unrelated' }

export interface BranchMove {
  /** Undefined: the branch does not exist. */
  readonly from: ObjectId | undefined
  readonly to: ObjectId
  readonly reason: string
}

interface GitAndFiles {
  readonly git: RunGit
  readonly files: WorktreeFiles
}

export function openLandings(
  repository: Repository,
  { git = runGit, files = worktreeFiles }: Partial<GitAndFiles> = {},
): Landings {
  const tools = { git, files }
  return {
    tip: (branch) => resolveCommit(git, repository, branchRef(requireBranchName(branch))),
    treeOf: async (commit) => toTreeId(await readTreeId(tools, repository, commit)),
    merge: (onto, work) => mergeOnto(tools, repository, onto, work),
    async move(branch, { from, to, reason }) {
      await requireNotCheckedOut(tools, repository, branch)
      return changeRef(git, repository, { ref: branchRef(branch), to, from, reason })
    },
    contains: (commit, earlier) => isAncestor(git, repository, earlier, commit),
    find: (branch, base, line) => findCommitByLine(repository, { branch, base, line }, git),
    checkout: (branch) => findCheckout(files, repository, branch),
    record: (key, branch) => recordLanding(files, repository, key, branch),
  }
}

async function mergeOnto(
  tools: GitAndFiles,
  repository: Repository,
  onto: ObjectId,
  { commit: theirs, strategy, message }: WorkToMerge,
): Promise<MergedWork> {
  const isForward =
    strategy === 'fast-forward' && (await isAncestor(tools.git, repository, onto, theirs))
  const merge = await mergeTrees(tools, repository, onto, theirs)
  if (merge.type === 'unrelated') return merge
  const tree = toTreeId(merge.tree)
  if (merge.type === 'conflict') return { type: 'conflict', files: merge.files, tree }
  if (merge.tree === (await readTreeId(tools, repository, onto))) return { type: 'nothing', tree }
  if (isForward) return { type: 'merged', commit: theirs, tree }
  const parents = strategy === 'squash' ? [onto] : [onto, theirs]
  const at = await createMergeLocation(tools, repository)
  const commit = await writeCommitObject(tools.git, at, merge.tree, parents, `${message}\n`)
  return { type: 'merged', commit, tree }
}

async function requireNotCheckedOut(
  { files }: GitAndFiles,
  repository: Repository,
  branch: string,
): Promise<void> {
  const folder = await findCheckout(files, repository, branch)
  if (folder === undefined) return
  throw new LoopError(
    'wrong-status',
    `The branch ${branch} is checked out in ${folder}, and its files would no longer match. ` +
      'Merge there, or use another branch (--into).',
  )
}

const landingsMax = 20

async function recordLanding(
  files: WorktreeFiles,
  repository: Repository,
  key: string,
  branch: string,
): Promise<void> {
  const record = await readRecord(files, repository, key)
  if (record?.state !== 'ready' || record.landedOn?.includes(branch) === true) return
  const landedOn = [...(record.landedOn ?? []), branch].slice(-landingsMax)
  await writeRecord(files, repository, { ...record, landedOn })
}
