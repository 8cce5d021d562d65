/** The files of a worktree for snapshots and restores, and the scratch index they work on. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Bytes } from '../bytes.ts'
import type { Exclusions } from '../exclusions.ts'
import type { PrivateGitDir } from '../git/private-git-dir.ts'
import type { ObjectId } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { isReserved } from '../git/reserved-names.ts'
import type { GitLocation, RunGit } from '../git/run-git.ts'
import type { StatCache } from '../stat-cache.ts'
import { hasCode, type WritableFolder } from '../workspace-directory.ts'
import { linkOrCopy, type WorktreeFiles } from './worktree-files.ts'

export interface WorkTree extends WritableFolder {
  /** The commit that it began with. */
  readonly base: ObjectId
  readonly path: string
  readonly files: WorktreeFiles
  readonly git: RunGit
  readonly repository: Repository
  readonly own: PrivateGitDir
  readonly cache: StatCache<ObjectId>
  readonly now: () => number
  readonly memory: Memory
}

/** What this process has cached, to avoid calls of git. */
export interface Memory {
  /** The listings since the last one that named all files that look changed. */
  listings?: number
  /** The HEAD of the private git directory, once it was written. */
  head?: ObjectId
  /** The last known value of the snapshots ref. */
  kept?: { readonly commit: ObjectId; readonly tree: ObjectId }
  /** The last known value of the run's branch. */
  committed?: { readonly commit: ObjectId; readonly tree: ObjectId }
  /** The paths that differ between the trees of the last two snapshots. */
  step?: { readonly before: ObjectId; readonly after: ObjectId; readonly paths: readonly Bytes[] }
}

/** Enough for large trees on slow disks. */
export const treeTimeoutMs: number = 15 * 60_000

/**
 * Works on a private copy of the index, which replaces the index at the end. So no lock of a killed process
 * blocks it, and a kill leaves the previous index: an outdated index costs time, but is never wrong.
 */
export async function onScratchIndex<T>(
  tree: WorkTree,
  work: (at: GitLocation, scratch: string) => Promise<T>,
): Promise<T> {
  const { files, own, path } = tree
  const scratch = join(own.path, `index.${randomUUID()}`)
  try {
    await linkOrCopy(files, own.indexFile, scratch).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
    })
    const result = await work(own.at(path, scratch), scratch)
    await files.rename(scratch, own.indexFile)
    return result
  } finally {
    for (const left of [scratch, `${scratch}.lock`]) await files.unlink(left).catch(() => {})
  }
}

/** Removes the copies that killed processes left. No other process uses the folder when a worktree is opened. */
export async function removeScratchIndexes(files: WorktreeFiles, folder: string): Promise<void> {
  for (const name of await files.readdir(folder)) {
    const isScratch = /\.[0-9a-f]{8}-[0-9a-f-]{27}(\.lock)?$/.test(name)
    if (isScratch) await files.unlink(join(folder, name)).catch(() => {})
  }
}

/** The path, or a parent folder, is not part of the tree. */
export function isOutside(exclusions: Exclusions, path: Bytes): boolean {
  if (isReserved(path)) return true
  const parts = path.split('/')
  return parts.some((_, index) => exclusions.has(parts.slice(0, index + 1).join('/')))
}
