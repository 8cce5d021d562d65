/**
 * Finds out what would be lost if a worktree were removed. Only reads, so it can run while a run works in it.
 */

import { join } from 'node:path'
import { fromText, toDisplay } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { readTip } from '../git/commit-tree.ts'
import { ignorePattern } from '../git/ignore-pattern.ts'
import { listDifferences } from '../git/list-changes.ts'
import { createPrivateGitDir } from '../git/private-git-dir.ts'
import { branchRef, resolveCommit } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { runGit } from '../git/run-git.ts'
import { adminDir, checkWorktree } from './check-worktree.ts'
import type { KnownWorktree, Tools } from './open-work-tree.ts'
import { readLockReason } from './partial-worktree.ts'
import { findUnmergedReason } from './remove-worktree.ts'
import { isOutside } from './work-tree.ts'
import { worktreeFiles } from './worktree-files.ts'
import type { WorktreeRecord } from './worktree-record.ts'

export interface BranchState {
  /** `empty`: no new commits. `merged`: all its commits are in another branch. */
  readonly branch: 'gone' | 'empty' | 'merged' | 'unmerged'
  /** Why the branch is needed. */
  readonly unmerged?: string
}

export interface WorktreeState extends BranchState {
  /** Paths that are in no commit. */
  readonly uncommitted: readonly string[]
  /** The reason for which it is locked. */
  readonly locked?: string
}

/** The worktree itself may no longer exist. */
export async function readBranchState(
  repository: Repository,
  record: Pick<WorktreeRecord, 'branch' | 'base' | 'landedOn'>,
  mergedInto: readonly string[] = [],
): Promise<BranchState> {
  const tools: Tools = { git: runGit, files: worktreeFiles, now: Date.now }
  const tip = await resolveCommit(tools.git, repository, branchRef(record.branch))
  if (tip === undefined) return { branch: 'gone' }
  if (tip === record.base.commit) return { branch: 'empty' }
  const unmerged = await findUnmergedReason(tools, repository, record, tip, mergedInto)
  return unmerged === undefined ? { branch: 'merged' } : { branch: 'unmerged', unmerged }
}

export async function readWorktreeState(
  repository: Repository,
  record: WorktreeRecord,
  mergedInto: readonly string[] = [],
): Promise<WorktreeState> {
  const tools: Tools = { git: runGit, files: worktreeFiles, now: Date.now }
  const rest = await readBranchState(repository, record, mergedInto)
  const known = await findRegistered(tools, repository, record)
  if (known === undefined) return { uncommitted: [], ...rest }
  const reason = await readLockReason(tools, repository, known.id)
  return {
    uncommitted: await listUncommittedIn(tools, repository, known),
    ...(reason === undefined ? {} : { locked: reason.trim() }),
    ...rest,
  }
}

/** Paths that are in no commit; none if the worktree no longer exists. */
export async function listWorktreeChanges(
  repository: Repository,
  record: WorktreeRecord,
): Promise<readonly string[]> {
  const tools: Tools = { git: runGit, files: worktreeFiles, now: Date.now }
  const known = await findRegistered(tools, repository, record)
  return known === undefined ? [] : listUncommittedIn(tools, repository, known)
}

async function findRegistered(
  { files }: Tools,
  repository: Repository,
  record: WorktreeRecord,
): Promise<KnownWorktree | undefined> {
  const { id, path, branch } = record
  if (id === undefined) return undefined
  const status = await checkWorktree(files, repository, { path, id, branch }).catch(() => undefined)
  return status === 'there' ? { ...record, id } : undefined
}

/** Reads the index without writing it, in a private git directory. */
async function listUncommittedIn(
  { git, files }: Tools,
  repository: Repository,
  { id, path, branch, base, carried, exclude = [] }: KnownWorktree,
): Promise<readonly string[]> {
  const admin = adminDir(repository, id)
  const excludedPaths = [...carried, ...exclude]
  const own = await createPrivateGitDir(files, {
    repository,
    path: join(admin, 'loopwright-look'),
    exact: true,
    excludes: excludedPaths.map((one) => fromText(ignorePattern(one))),
  })
  const at = own.at(path, join(admin, 'index'))
  const tip = await readTip({ git, repository }, branchRef(branch))
  const paths = await listDifferences(git, at, tip?.tree ?? base.commit)
  const exclusions = createExclusions(excludedPaths)
  return [...new Set(paths)]
    .filter((one) => !isOutside(exclusions, one.replace(/\/$/, '')))
    .map((one) => toDisplay(one))
    .toSorted()
}
