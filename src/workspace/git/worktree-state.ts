/**
 * What of a worktree would be lost if it went away. Only looked at, also while a run is at work in it.
 */

import { join } from 'node:path'
import { fromText, show } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { adminDir, checkWorktree } from './check-worktree.ts'
import { tipOf } from './commit-tree.ts'
import { lockOf } from './half-made.ts'
import { ignorePattern } from './ignore-pattern.ts'
import { pathsUnlike } from './list-changes.ts'
import type { Tools } from './open-work-tree.ts'
import { makeOwnDirectory } from './own-directory.ts'
import { branchRef, commitOf } from './refs.ts'
import { whyUnmerged } from './remove-worktree.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'
import { isOutside } from './work-tree.ts'
import { worktreeFiles } from './worktree-files.ts'
import type { WorktreeRecord } from './worktree-record.ts'

export interface BranchState {
  /** It has no commits but those that it began with, or they are all elsewhere too, or they are not. */
  readonly branch: 'gone' | 'empty' | 'merged' | 'unmerged'
  /** Why it is needed. */
  readonly unmerged?: string
}

export interface WorktreeState extends BranchState {
  /** Paths that are in no commit. */
  readonly uncommitted: readonly string[]
  /** Somebody locked it, with these words. */
  readonly locked?: string
}

/** Of a worktree that may be gone. */
export async function branchState(
  repository: Repository,
  record: Pick<WorktreeRecord, 'branch' | 'base' | 'landedOn'>,
  mergedInto: readonly string[] = [],
): Promise<BranchState> {
  const tools: Tools = { git: runGit, files: worktreeFiles, now: Date.now }
  const tip = await commitOf(tools.git, repository, branchRef(record.branch))
  if (tip === undefined) return { branch: 'gone' }
  if (tip === record.base.commit) return { branch: 'empty' }
  const unmerged = await whyUnmerged(tools, repository, record, tip, mergedInto)
  return unmerged === undefined ? { branch: 'merged' } : { branch: 'unmerged', unmerged }
}

export async function worktreeState(
  repository: Repository,
  record: WorktreeRecord,
  mergedInto: readonly string[] = [],
): Promise<WorktreeState> {
  const tools: Tools = { git: runGit, files: worktreeFiles, now: Date.now }
  const { id, path, branch } = record
  const rest = await branchState(repository, record, mergedInto)
  const status =
    id === undefined
      ? 'missing'
      : await checkWorktree(tools.files, repository, { path, id, branch }).catch(() => 'not-ours')
  if (id === undefined || status !== 'there') return { uncommitted: [], ...rest }
  const reason = await lockOf(tools, repository, id)
  return {
    uncommitted: await uncommittedIn(tools, repository, { ...record, id }),
    ...(reason === undefined ? {} : { locked: reason.trim() }),
    ...rest,
  }
}

/** With an index that is read and never written, in a git directory that only this has. */
async function uncommittedIn(
  { git, files }: Tools,
  repository: Repository,
  { id, path, branch, base, carried, exclude = [] }: WorktreeRecord & { readonly id: string },
): Promise<readonly string[]> {
  const admin = adminDir(repository, id)
  const apart = [...carried, ...exclude]
  const own = await makeOwnDirectory(files, {
    repository,
    path: join(admin, 'loopwright-look'),
    exact: true,
    excludes: apart.map((one) => fromText(ignorePattern(one))),
  })
  const at = own.at(path, join(admin, 'index'))
  const tip = await tipOf({ git, repository }, branchRef(branch))
  const paths = await pathsUnlike(git, at, tip?.tree ?? base.commit)
  const exclusions = createExclusions(apart)
  return [...new Set(paths)]
    .filter((one) => !isOutside(exclusions, one.replace(/\/$/, '')))
    .map((one) => show(one))
    .toSorted()
}
