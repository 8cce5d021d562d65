/** The files of a worktree, as snapshots and restores see them, and the scratch index they work on. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Bytes } from '../bytes.ts'
import type { Exclusions } from '../exclusions.ts'
import { hasCode, type OwnFolder } from '../place.ts'
import type { StatCache } from '../stat-cache.ts'
import type { OwnDirectory } from './own-directory.ts'
import type { ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import { isReserved } from './reserved-names.ts'
import type { GitPlace, RunGit } from './run-git.ts'
import { linkOrCopy, type WorktreeFiles } from './worktree-files.ts'

export interface WorkTree extends OwnFolder {
  readonly path: string
  readonly files: WorktreeFiles
  readonly git: RunGit
  readonly repository: Repository
  readonly own: OwnDirectory
  readonly cache: StatCache<ObjectId>
  readonly now: () => number
  readonly memory: Memory
}

/** What this process knows to be so, and need not ask git again. */
export interface Memory {
  /** The tree that the index stood for when it was this very file. */
  index?: { readonly identity: string; readonly tree: ObjectId }
  /** What the ref of snapshots was last seen to be. */
  kept?: { readonly commit: ObjectId; readonly tree: ObjectId }
}

/** Large trees on slow disks; nothing that ends well takes longer. */
export const treeTimeoutMs: number = 15 * 60_000

/**
 * Works on a copy of the index that nobody else knows, and makes it the index at the end. So no lock
 * of a dead process is ever in the way, and a kill leaves the index that was there before: one that
 * is behind costs time, and is never wrong.
 */
export async function onScratchIndex<T>(
  tree: WorkTree,
  work: (at: GitPlace, scratch: string) => Promise<T>,
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

/** Those that were killed left their copies. Nobody else works here when a worktree is opened. */
export async function removeScratches(files: WorktreeFiles, folder: string): Promise<void> {
  for (const name of await files.readdir(folder)) {
    const isLeft = /\.[0-9a-f]{8}-[0-9a-f-]{27}(\.lock)?$/.test(name)
    if (isLeft) await files.unlink(join(folder, name)).catch(() => {})
  }
}

/** It, or a folder above it, is no part of the tree. */
export function isOutside(exclusions: Exclusions, path: Bytes): boolean {
  if (isReserved(path)) return true
  const parts = path.split('/')
  return parts.some((_, index) => exclusions.has(parts.slice(0, index + 1).join('/')))
}
