/** Removes content that no row names. Young content is kept: its row may be about to be written. */

import type { BlobId, TreeId } from '../loop/index.ts'
import { createTrees } from '../workspace/index.ts'
import type { HostPorts } from './driver.ts'

export interface Collected {
  readonly removed: number
  readonly bytes: number
  readonly kept: number
}

const graceMs = 3_600_000

export async function collectGarbage(
  base: HostPorts,
  olderThanMs: number = graceMs,
): Promise<Collected> {
  const { journal, blobs, clock } = base
  const trees = createTrees(blobs)
  const kept = new Set<BlobId>()
  const seen = new Set<string>()
  // A tree that cannot be read stops this: what hangs on it would be lost.
  for (const { hash, isTree } of journal.namedContent()) {
    kept.add(hash as BlobId)
    if (!isTree) continue
    for await (const blob of trees.reachable(hash as TreeId, seen)) kept.add(blob)
  }
  const swept = await blobs.sweep(kept, { olderThanMs, now: clock.now() })
  return { ...swept, kept: kept.size }
}
