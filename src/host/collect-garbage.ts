/** Removes content that no row names. Young content is kept: its row may be about to be written. */

import { existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { certifiedOutputs } from '../evidence/certificate/index.ts'
import { checkoutsFolder } from '../launch/certify/open-certifying-checkout.ts'
import { type CollectedLayers, collectLayers } from '../launch/dependencies/collect-layers.ts'
import { type BlobId, LoopError, type TreeId } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { restoreFolder } from '../system/index.ts'
import { outputFolder, replaysFolder } from '../system/state-folders.ts'
import { removeAbandonedPrivateFolders } from '../workspace/index.ts'
import { createTreeStore } from '../workspace/tree-store.ts'

export interface Collected {
  readonly removed: number
  readonly bytes: number
  readonly kept: number
  readonly layers: CollectedLayers
}

const graceMs = 3_600_000
/** Long output of tools is kept for a week. The journal has the beginning and the end of it. */
const outputMs = 7 * 86_400_000

export async function collectGarbage(
  base: HostPorts,
  olderThanMs: number = graceMs,
): Promise<Collected> {
  const { journal, blobs, clock } = base
  await requireSound(base)
  const trees = createTreeStore(base)
  const kept = new Set<BlobId>()
  const seen = new Set<string>()
  // A tree that cannot be read aborts the collection, since its content would be lost.
  for (const { hash, isTree } of await journal.namedContent()) {
    kept.add(hash as BlobId)
    if (!isTree) continue
    for await (const blob of trees.reachable(hash as TreeId, seen)) kept.add(blob)
  }
  // The output of checks is evidence of a certificate, even if its run was removed.
  for await (const blob of certifiedOutputs({ folder: base.folder })) kept.add(blob)
  await removeOlder(restoreFolder(base.folder), clock.now() - olderThanMs)
  await removeOlder(outputFolder(base.folder), clock.now() - outputMs)
  await removeOlder(replaysFolder(base.folder), clock.now() - olderThanMs, await workedIn(base))
  const layers = await collectLayers(base.folder, { now: clock.now() })
  await removeAbandonedPrivateFolders(checkoutsFolder(base.folder))
  const swept = await blobs.sweep(kept, { olderThanMs, now: clock.now() })
  return { ...swept, kept: kept.size, layers }
}

/** If the journal has lost rows, content that is still needed would be removed. */
async function requireSound({ journal, folder }: HostPorts): Promise<void> {
  const [problem] = await journal.integrityProblems()
  if (problem !== undefined) {
    const advice = 'Nothing was removed: restore the journal from a backup first.'
    throw new LoopError('store-damaged', `The journal in ${folder}: ${problem}. ${advice}`)
  }
  // An empty journal is fine if the runs were removed.
  if ((await journal.hasRemoved()) || (await journal.listRuns({ limit: 1 })).length > 0) return
  // It is also fine if only `certify` was used: its blobs are evidence.
  const evidence = new Set<string>()
  for await (const blob of certifiedOutputs({ folder })) evidence.add(blob)
  if ((await contentIn(join(folder, 'blobs'))).every((hash) => evidence.has(hash))) return
  throw new LoopError(
    'bad-request',
    `The journal in ${folder} has no runs, but there are blobs of runs. Is it the right journal? ` +
      `Nothing was removed. If none of it is needed, delete ${join(folder, 'blobs')}.`,
  )
}

async function contentIn(blobs: string): Promise<readonly string[]> {
  const folders = (await namesIn(blobs)).filter((name) => name !== 'tmp')
  const names = folders.map(async (one) =>
    (await namesIn(join(blobs, one))).map((rest) => `${one}${rest}`),
  )
  return (await Promise.all(names)).flat()
}

/** Folders of replays that are in use; a replay that was killed before its run was created has none. */
async function workedIn({ journal }: HostPorts): Promise<ReadonlySet<string>> {
  const runs = await journal.listRuns({ limit: Number.MAX_SAFE_INTEGER })
  return new Set(runs.flatMap(({ workspace }) => workspace ?? []))
}

async function removeOlder(
  folder: string,
  beforeMs: number,
  needed: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    if (needed.has(path)) continue
    if ((await stat(path)).mtimeMs < beforeMs) await rm(path, { recursive: true, force: true })
  }
}

const namesIn = async (folder: string): Promise<readonly string[]> =>
  existsSync(folder) ? readdir(folder) : []
