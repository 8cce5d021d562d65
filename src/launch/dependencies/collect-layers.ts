/**
 * Keeps the store of layers small: removes those that were not used for a long time, then the least recently
 * used, until the rest fits. A layer that a live process uses stays.
 *
 * A kill at any moment leaves a folder without a record and without a living lease, a lease of a process
 * that is gone, or an object that no layer has: the next collection removes all of them.
 */

import { existsSync } from 'node:fs'
import { readdir, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../../workspace/index.ts'
import { leasedFolders } from './layer-leases.ts'
import {
  type LayerRecord,
  layersFolder,
  readRecord,
  recordPath,
  writeRecord,
} from './layer-store.ts'
import { type SweptObjects, sweepObjects } from './shared-files.ts'

export interface CollectedLayers {
  /** How many layers were removed, and what that freed on disk. */
  readonly removed: number
  readonly freedBytes: number
  readonly kept: number
  readonly keptBytes: number
  /** What they may take up. */
  readonly bytesMax: number
}

const unusedMs = 30 * 86_400_000
/** Other files, such as records that were about to be written. */
const abandonedMs = 86_400_000
const defaultBytesMax = 5 * 1024 ** 3

export interface CollectOptions {
  readonly now: number
  /** Default: 5 GiB, or a tenth of the disk where that is less. */
  readonly bytesMax?: number
}

export async function collectLayers(
  record: string,
  { now, bytesMax: given }: CollectOptions,
): Promise<CollectedLayers> {
  const store = layersFolder(record)
  if (!existsSync(store)) {
    return { removed: 0, freedBytes: 0, kept: 0, keptBytes: 0, bytesMax: given ?? defaultBytesMax }
  }
  const bytesMax = given ?? (await defaultLimit(store))
  await removeUnknown(store, now)
  let { freedBytes, keptBytes } = await sizeAfterSweep(store)
  let removed = 0
  for (const layer of await listLayers(store)) {
    const isUnused = layer.usedAtMs < now - unusedMs
    if (!isUnused && keptBytes <= bytesMax) break
    if (!(await evict(store, layer, now))) continue
    const swept = await sizeAfterSweep(store)
    freedBytes += layer.record.unsharedBytes + swept.freedBytes
    keptBytes = swept.keptBytes
    removed += 1
  }
  const kept = (await listLayers(store)).length
  return { removed, freedBytes, kept, keptBytes, bytesMax }
}

async function sizeAfterSweep(store: string): Promise<SweptObjects> {
  const { freedBytes, keptBytes } = await sweepObjects(store)
  const layers = await listLayers(store)
  const unshared = layers.reduce((sum, { record }) => sum + record.unsharedBytes, 0)
  return { freedBytes, keptBytes: keptBytes + unshared }
}

async function defaultLimit(store: string): Promise<number> {
  const { blocks, bsize } = await statfs(store)
  return Math.min(defaultBytesMax, Math.floor((blocks * bsize) / 10))
}

interface KnownLayer {
  readonly key: string
  readonly record: LayerRecord
  readonly usedAtMs: number
}

/** The least recently used first. */
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

/** Folders that no record names and no process is making. */
async function removeUnknown(store: string, now: number): Promise<void> {
  const names = await readdir(store)
  // In this order: who makes a layer gives up the lease only after its record was written.
  const leased = await leasedFolders(store, now)
  const layers = await listLayers(store)
  const named = new Set(layers.flatMap(({ key, record }) => [record.folder, `${key}.json`]))
  for (const name of names.filter((one) => !named.has(one) && !leased.has(one))) {
    const path = join(store, name)
    if (folderName.test(name)) await removeTree(path)
    else if (await isAbandonedFile(path, now)) await rm(path, { force: true })
  }
}

const folderName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Records that cannot be read, or were never finished. */
async function isAbandonedFile(path: string, now: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true && found.mtimeMs < now - abandonedMs
}

/** False: a live process uses it. */
async function evict(
  store: string,
  { key, record, usedAtMs }: KnownLayer,
  now: number,
): Promise<boolean> {
  if ((await leasedFolders(store, now)).has(record.folder)) return false
  await rm(recordPath(store, key), { force: true })
  // Somebody may have found the record just before: then the lease is there by now.
  if ((await leasedFolders(store, now)).has(record.folder)) {
    await writeRecord(store, key, record, 'first')
    await utimes(recordPath(store, key), new Date(usedAtMs), new Date(usedAtMs)).catch(
      () => undefined,
    )
    return false
  }
  await removeTree(join(store, record.folder))
  return true
}
