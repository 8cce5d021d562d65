/**
 * Which content a file had when it was last read, so that a file that did not change is not read
 * again.
 *
 * 1. A file is taken for unchanged only if device, inode, size and both times are the same.
 * 2. A file that had changed just before it was read is not remembered: one more change within the
 *    same tick of the file system's clock would not show.
 * 3. What was put into the store long ago is put again, so that a sweep of the store, whose grace
 *    time is longer, cannot have taken it.
 */

import type { BigIntStats } from 'node:fs'
import type { BlobId, TreeId } from '../loop/index.ts'
import type { Bytes } from './bytes.ts'

/** More than the tick of any file system that we know to have one below a second. */
const tickMs = 50
/** Less than any grace time of a sweep. */
const rememberMs = 20 * 60_000

export interface Remembered<Id> {
  readonly identity: string
  readonly blob: Id
  readonly storedAtMs: number
}

export interface StatCache<Id = BlobId> {
  /** The content that this file still has. */
  find(path: Bytes, stat: BigIntStats): Id | undefined
  /** The same, if it need not be put again. */
  findStored(path: Bytes, stat: BigIntStats): Id | undefined
  /** `readAtMs` is the time before the first byte was read. */
  remember(path: Bytes, stat: BigIntStats, blob: Id, readAtMs: number): void
  keepOnly(paths: ReadonlySet<Bytes>): void
  /** Tree objects that were put a short time ago. */
  isStored(tree: TreeId): boolean
  stored(tree: TreeId): void
}

export const identityOf = (stat: BigIntStats): string =>
  `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`

export function createStatCache<Id = BlobId>(now: () => number): StatCache<Id> {
  const files = new Map<Bytes, Remembered<Id>>()
  const trees = new Map<TreeId, number>()
  const isFresh = (storedAtMs: number) => now() - storedAtMs < rememberMs

  function remembered(path: Bytes, stat: BigIntStats): Remembered<Id> | undefined {
    const found = files.get(path)
    return found?.identity === identityOf(stat) ? found : undefined
  }

  return {
    find: (path, stat) => remembered(path, stat)?.blob,
    findStored(path, stat) {
      const found = remembered(path, stat)
      return found !== undefined && isFresh(found.storedAtMs) ? found.blob : undefined
    },
    remember(path, stat, blob, readAtMs) {
      if (isRacy(stat, readAtMs)) files.delete(path)
      else files.set(path, { identity: identityOf(stat), blob, storedAtMs: now() })
    },
    keepOnly(paths) {
      for (const path of files.keys()) if (!paths.has(path)) files.delete(path)
      for (const [tree, atMs] of trees) if (!isFresh(atMs)) trees.delete(tree)
    },
    isStored: (tree) => isFresh(trees.get(tree) ?? Number.NEGATIVE_INFINITY),
    stored: (tree) => void trees.set(tree, now()),
  }
}

/** A change always sets the second time; the first can be set to anything. */
function isRacy(stat: BigIntStats, readAtMs: number): boolean {
  const modifiedMs = Number(stat.mtimeNs / 1_000_000n)
  const changedMs = Number(stat.ctimeNs / 1_000_000n)
  return changedMs >= readAtMs - tickMs || Math.abs(readAtMs - modifiedMs) <= tickMs
}
