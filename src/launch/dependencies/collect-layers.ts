/**
 * Limits the size of the layer store: removes layers that were not used for a long time, then the least
 * recently used ones until the rest fits. A layer in use by a live process stays.
 *
 * A process killed at any moment leaves a folder without a record or live lease, the lease of a dead
 * process, or an object that no layer uses: the next collection removes all of them.
 */

import { existsSync } from 'node:fs'
import { readdir, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../../workspace/index.ts'
import { listLeasedFolders } from './layer-leases.ts'
import {
  type LayerRecord,
  layersFolder,
  readRecord,
  recordPath,
  writeRecord,
} from './layer-store.ts'
import { type SweptObjects, sweepObjects } from './shared-files.ts'

export interface CollectedLayers {
  /** The number of removed layers. */
  readonly removed: number
  readonly freedBytes: number
  readonly kept: number
  readonly keptBytes: number
  /** The limit. */
  readonly bytesMax: number
}

const unusedMs = 30 * 86_400_000
/** The age at which other files, such as unfinished records, are removed. */
const abandonedMs = 86_400_000
const defaultBytesMax = 5 * 1024 ** 3

export interface CollectOptions {
  readonly now: number
  /** Default: 5 GiB or a tenth of the disk, whichever is less. */
  readonly bytesMax?: number
}

export async function collectLayers(
  stateFolder: string,
  { now, bytesMax: requestedMax }: CollectOptions,
): Promise<CollectedLayers> {
  const store = layersFolder(stateFolder)
  if (!existsSync(store)) {
    const bytesMax = requestedMax ?? defaultBytesMax
    return { removed: 0, freedBytes: 0, kept: 0, keptBytes: 0, bytesMax }
  }
  const bytesMax = requestedMax ?? (await computeDefaultLimit(store))
  await removeUnreferenced(store, now)
  let { freedBytes, keptBytes } = await sweepAndMeasure(store)
  let removed = 0
  for (const layer of await listLayers(store)) {
    const isUnused = layer.usedAtMs < now - unusedMs
    if (!isUnused && keptBytes <= bytesMax) break
    if (!(await evict(store, layer, now))) continue
    const swept = await sweepAndMeasure(store)
    freedBytes += layer.record.unsharedBytes + swept.freedBytes
    keptBytes = swept.keptBytes
    removed += 1
  }
  const kept = (await listLayers(store)).length
  return { removed, freedBytes, kept, keptBytes, bytesMax }
}

async function sweepAndMeasure(store: string): Promise<SweptObjects> {
  const { freedBytes, keptBytes } = await sweepObjects(store)
  const layers = await listLayers(store)
  const unshared = layers.reduce((sum, { record }) => sum + record.unsharedBytes, 0)
  return { freedBytes, keptBytes: keptBytes + unshared }
}

async function computeDefaultLimit(store: string): Promise<number> {
  const { blocks, bsize } = await statfs(store)
  return Math.min(defaultBytesMax, Math.floor((blocks * bsize) / 10))
}

interface KnownLayer {
  readonly key: string
  readonly record: LayerRecord
  readonly usedAtMs: number
}

/** Least recently used first. */
async function listLayers(store: string): Promise<readonly KnownLayer[]> {
  const known: KnownLayer[] = []
  for (const name of await readdir(store)) {
    if (!name.endsWith('.json')) continue
    const key = name.slice(0, -'.json'.length)
    const record = await readRecord(store, key)
    const found = await stat(recordPath(store, key)).catch(() => undefined)
    if (record !== undefined && found !== undefined) {
      known.push({ key, record, usedAtMs: found.mtimeMs })
    }
  }
  return known.toSorted((one, two) => one.usedAtMs - two.usedAtMs)
}

/** Removes folders that no record refers to and no process is creating. */
async function removeUnreferenced(store: string, now: number): Promise<void> {
  const names = await readdir(store)
  // Read the leases first: a process that creates a layer releases its lease after it wrote the record.
  const leased = await listLeasedFolders(store, now)
  const layers = await listLayers(store)
  const named = new Set(layers.flatMap(({ key, record }) => [record.folder, `${key}.json`]))
  for (const name of names.filter((one) => !named.has(one) && !leased.has(one))) {
    const path = join(store, name)
    if (folderName.test(name)) await removeTree(path)
    else if (await isAbandonedFile(path, now)) await rm(path, { force: true })
  }
}

const folderName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Unreadable or unfinished records. */
async function isAbandonedFile(path: string, now: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true && found.mtimeMs < now - abandonedMs
}

/** Returns false if a live process uses the layer. */
async function evict(
  store: string,
  { key, record, usedAtMs }: KnownLayer,
  now: number,
): Promise<boolean> {
  if ((await listLeasedFolders(store, now)).has(record.folder)) return false
  await rm(recordPath(store, key), { force: true })
  // Another process may have read the record just before its removal; it has taken its lease by now.
  if ((await listLeasedFolders(store, now)).has(record.folder)) {
    await writeRecord(store, key, record, 'first')
    await utimes(recordPath(store, key), new Date(usedAtMs), new Date(usedAtMs)).catch(
      () => undefined,
    )
    return false
  }
  await removeTree(join(store, record.folder))
  return true
}
