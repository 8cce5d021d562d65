/**
 * Whether a worktree is still the one that was made: a folder that names its place in the
 * repository, which names the folder. Anything else could be anybody's, and is neither read nor
 * changed.
 */

import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { hasCode } from '../place.ts'
import { branchRef } from './refs.ts'
import type { Repository } from './repository.ts'
import { isLink, linkBelow, readSmall } from './small-file.ts'
import type { WorktreeFiles } from './worktree-files.ts'

export interface Registered {
  readonly path: string
  readonly id: string
  readonly branch: string
}

/** `missing`: nothing is where it was, and the repository does not know it elsewhere. */
export type WorktreeStatus = 'there' | 'missing' | 'pruned'

export const adminDir = ({ commonDir }: Repository, id: string): string =>
  join(commonDir, 'worktrees', id)

const pointerBytesMax = 8192

/** Rejects with `workspace-failed` when it was moved, replaced or put on another branch. */
export async function checkWorktree(
  files: WorktreeFiles,
  repository: Repository,
  worktree: Registered,
): Promise<WorktreeStatus> {
  try {
    return await check(files, repository, worktree)
  } catch (error) {
    if (error instanceof LoopError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw failed(
      worktree.path,
      `cannot be looked at: ${reason}`,
      'Make it accessible, then resume.',
    )
  }
}

async function check(
  files: WorktreeFiles,
  repository: Repository,
  { path, id, branch }: Registered,
): Promise<WorktreeStatus> {
  const admin = adminDir(repository, id)
  const link = await linkBelow(files, repository.commonDir, admin)
  if (link !== undefined) throw isLink(link)
  const isKnown = (await seenAt(files, admin))?.isDirectory() === true
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
      const what = `is not on ${branch} any more, but on ${found.replace('ref: refs/heads/', '')}`
      throw failed(path, what, `Run in it: git switch ${branch}`)
    }
  }
  const seen = await seenAt(files, path)
  if (seen === undefined) return 'missing'
  if (seen.isSymbolicLink()) {
    throw failed(path, 'was replaced by a symbolic link', 'Remove the link, then resume.')
  }
  if (!seen.isDirectory()) {
    throw failed(path, 'is not a folder any more', 'Move away what is there, then resume.')
  }
  const pointer = await readSmall(files, join(path, '.git'), pointerBytesMax)
  if (pointer?.trimEnd() !== `gitdir: ${admin}`) {
    const advice = 'Move away what is there, or run: git worktree repair'
    throw failed(path, 'is not the worktree of this run any more', advice)
  }
  return isKnown ? 'there' : 'pruned'
}

/** Of the thing itself, never of what a link leads to. */
async function seenAt(
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

export function failed(path: string, what: string, advice: string): LoopError {
  return new LoopError('workspace-failed', `The worktree ${path} ${what}. ${advice}`)
}
