/**
 * What this process knows about the files of folders, so that the next run in a folder reads only those that changed.
 *
 * The folders used last are kept, and of them no more than fit into memory.
 */

import { createStatCache, type StatCache } from './stat-cache.ts'

export interface StatCaches {
  /** Of the folder with this absolute path. */
  of(folder: string): StatCache
}

const foldersMax = 16
/** An entry takes some 300 bytes. */
const filesMax = 200_000

export function createStatCaches(now: () => number = Date.now): StatCaches {
  const caches = new Map<string, StatCache>()
  return {
    of(folder) {
      const cache = caches.get(folder) ?? createStatCache(now)
      // It becomes the newest.
      caches.delete(folder)
      caches.set(folder, cache)
      dropOldest(caches)
      return cache
    },
  }
}

/** All but the newest may be dropped; a run that uses one keeps it. */
function dropOldest(caches: Map<string, StatCache>): void {
  let folders = 0
  let files = 0
  for (const [folder, { size }] of [...caches].toReversed()) {
    folders += 1
    files += size
    if (folders > 1 && (folders > foldersMax || files > filesMax)) caches.delete(folder)
  }
}
