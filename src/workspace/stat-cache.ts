/**
 * Remembers the content of files, so that an unchanged file is not read again.
 *
 * 1. A file counts as unchanged only if device, inode, size, mtime and ctime are the same.
 * 2. A file that changed just before it was read is not remembered: another change within the same tick of the
 *    file system's clock would not be visible.
 * 3. Content that was stored long ago is stored again, in case a garbage collection, whose grace period is
 *    longer, has deleted it.
 */

import type { BigIntStats } from 'node:fs'
import type { BlobId, TreeId } from '../loop/index.ts'
import type { Bytes } from './bytes.ts'

/** Longer than the clock tick of any known file system with sub-second timestamps. */
const tickMs = 50
/** Shorter than any grace period of a garbage collection. */
const rememberMs = 20 * 60_000

export interface CacheEntry<Id> {
  readonly identity: string
  readonly blob: Id
  readonly storedAtMs: number
}

export interface StatCache<Id = BlobId> {
  /** How many files it remembers. */
  readonly size: number
  /** The content of the file, if it is unchanged. */
  find(path: Bytes, stat: BigIntStats): Id | undefined
  /** Like `find`, but only if the content need not be stored again. */
  findStored(path: Bytes, stat: BigIntStats): Id | undefined
  /** `readAtMs` is the time before the first byte was read. */
  remember(path: Bytes, stat: BigIntStats, blob: Id, readAtMs: number): void
  keepOnly(paths: ReadonlySet<Bytes>): void
  /** Whether the tree object was stored recently. */
  isStored(tree: TreeId): boolean
  markStored(tree: TreeId): void
}

export const identityOf = (stat: BigIntStats): string =>
  `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`

export function createStatCache<Id = BlobId>(now: () => number): StatCache<Id> {
  const files = new Map<Bytes, CacheEntry<Id>>()
  const trees = new Map<TreeId, number>()
  const isFresh = (storedAtMs: number) => now() - storedAtMs < rememberMs

  function findEntry(path: Bytes, stat: BigIntStats): CacheEntry<Id> | undefined {
    const found = files.get(path)
    return found?.identity === identityOf(stat) ? found : undefined
  }

  return {
    get size() {
      return files.size
    },
    find: (path, stat) => findEntry(path, stat)?.blob,
    findStored(path, stat) {
      const found = findEntry(path, stat)
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
    markStored: (tree) => void trees.set(tree, now()),
  }
}

/** Every change updates the ctime; the mtime can be set to anything. */
function isRacy(stat: BigIntStats, readAtMs: number): boolean {
  const modifiedMs = Number(stat.mtimeNs / 1_000_000n)
  const changedMs = Number(stat.ctimeNs / 1_000_000n)
  return changedMs >= readAtMs - tickMs || Math.abs(readAtMs - modifiedMs) <= tickMs
}
