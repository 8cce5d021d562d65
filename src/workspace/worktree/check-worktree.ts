/**
 * Checks that a worktree is still the one we created: its folder points to its entry in the repository, and
 * the entry points back. Anything else may belong to someone else, and is neither read nor changed.
 */

import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { branchRef } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { findLinkBelow, linkError, readSmall } from '../git/small-file.ts'
import { hasCode } from '../workspace-directory.ts'
import type { WorktreeFiles } from './worktree-files.ts'

export interface RegisteredWorktree {
  readonly path: string
  readonly id: string
  readonly branch: string
}

/** `missing`: its path does not exist, and the repository does not know it at another path. */
export type WorktreeStatus = 'there' | 'missing' | 'pruned'

export const adminDir = ({ commonDir }: Repository, id: string): string =>
  join(commonDir, 'worktrees', id)

const pointerBytesMax = 8192

/** Rejects with `workspace-failed` if it was moved, replaced or switched to another branch. */
export async function checkWorktree(
  files: WorktreeFiles,
  repository: Repository,
  worktree: RegisteredWorktree,
): Promise<WorktreeStatus> {
  try {
    return await check(files, repository, worktree)
  } catch (error) {
    if (error instanceof LoopError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw failed(worktree.path, `cannot be checked: ${reason}`, 'Make it accessible, then resume.')
  }
}

async function check(
  files: WorktreeFiles,
  repository: Repository,
  { path, id, branch }: RegisteredWorktree,
): Promise<WorktreeStatus> {
  const admin = adminDir(repository, id)
  const link = await findLinkBelow(files, repository.commonDir, admin)
  if (link !== undefined) throw linkError(link)
  const isKnown = (await lstatIfExists(files, admin))?.isDirectory() === true
  if (isKnown) {
    const elsewhere = (await readSmall(files, join(admin, 'gitdir'), pointerBytesMax))?.trimEnd()
    if (elsewhere !== undefined && elsewhere !== join(path, '.git')) {
      throw failed(
        path,
        `was moved: git knows it as ${elsewhere}`,
        `Move it back: git worktree move`,
      )
    }
    const head = await readSmall(files, join(admin, 'HEAD'), pointerBytesMax)
    if (head?.trimEnd() !== `ref: ${branchRef(branch)}`) {
      const found = head === undefined ? 'nothing' : head.trim().slice(0, 200)
      const problem = `is no longer on ${branch}, but on ${found.replace('ref: refs/heads/', '')}`
      throw failed(path, problem, `Run in it: git switch ${branch}`)
    }
  }
  const seen = await lstatIfExists(files, path)
  if (seen === undefined) return 'missing'
  if (seen.isSymbolicLink()) {
    throw failed(path, 'was replaced by a symlink', 'Remove the symlink, then resume.')
  }
  if (!seen.isDirectory()) {
    throw failed(path, 'is no longer a folder', 'Move the file at this path, then resume.')
  }
  const pointer = await readSmall(files, join(path, '.git'), pointerBytesMax)
  if (pointer?.trimEnd() !== `gitdir: ${admin}`) {
    const advice = 'Move the folder at this path, or run: git worktree repair'
    throw failed(path, 'is no longer the worktree of this run', advice)
  }
  return isKnown ? 'there' : 'pruned'
}

/** Does not follow symlinks. */
async function lstatIfExists(
  files: WorktreeFiles,
  path: string,
): Promise<Awaited<ReturnType<WorktreeFiles['lstat']>> | undefined> {
  try {
    return await files.lstat(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

export function failed(path: string, problem: string, advice: string): LoopError {
  return new LoopError('workspace-failed', `The worktree ${path} ${problem}. ${advice}`)
}
