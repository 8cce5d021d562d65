/**
 * Dependency layers that can be used again: `<state folder>/layers/<key>.json` says where one is, what it was
 * made from and what is in it.
 *
 * 1. A layer is made in a folder that nobody else knows, and is there for others with its record, which is
 *    linked in: of two that were made at once, one is used. Its folder is never moved, since some managers
 *    write down where they are.
 * 2. Each use compares it with its record: times, sizes and rights of everything, and if those differ (also
 *    because another layer now shares its files), every byte. One that is something else is not used again.
 * 3. Who makes or uses a layer has a lease on it (layer-leases.ts).
 */

import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { LoopError } from '../../loop/index.ts'
import { removeTree } from '../../workspace/index.ts'
import { makersLease, releaseLease, takeLease } from './layer-leases.ts'
import { type ContentEntry, listContent } from './list-content.ts'
import { shareFiles } from './shared-files.ts'

export interface StoredLayer {
  /** The full path of its folder. */
  readonly path: string
  readonly from: 'installed' | 'carried'
  readonly digest: string
  readonly summary: string
  /** Folders in it, by their paths in the checkout. */
  readonly folders: readonly string[]
  /** It was made just now, so the store has grown. */
  readonly isNew: boolean
  /** It may be removed from then on. */
  release(): Promise<void>
}

export const layersFolder = (record: string): string => join(record, 'layers')

export interface LayerRecord {
  readonly version: 2
  readonly folder: string
  readonly from: StoredLayer['from']
  readonly digest: string
  readonly bytes: string
  readonly times: string
  /** On disk, of what no other layer can share. */
  readonly unsharedBytes: number
  readonly summary: string
  readonly folders: readonly string[]
}

const recordSchema: z.ZodType<LayerRecord> = z.strictObject({
  version: z.literal(2),
  folder: z.uuid(),
  from: z.enum(['installed', 'carried']),
  digest: z.string(),
  bytes: z.string(),
  times: z.string(),
  unsharedBytes: z.number(),
  summary: z.string(),
  folders: z.array(z.string()),
})

/** Undefined: there is none, or it is not what it was. Release it when it is not used any more. */
export async function findLayer(store: string, key: string): Promise<StoredLayer | undefined> {
  const found = await readRecord(store, key)
  if (found === undefined) {
    // One that cannot be read would keep every other from its place.
    await rm(recordPath(store, key), { force: true, recursive: true })
    return undefined
  }
  const id = randomUUID()
  await takeLease(store, found.folder, id)
  const record = await readRecord(store, key)
  const isSame =
    record?.folder === found.folder &&
    (await isAsRecorded(store, key, record).catch(() => undefined))
  if (isSame === true) {
    const now = new Date()
    await utimes(recordPath(store, key), now, now).catch(() => undefined)
    return layerOf(store, found, id)
  }
  // What was removed meanwhile is not damaged. The folder of one that is goes with the next collection.
  if (record?.folder === found.folder) await unlink(recordPath(store, key)).catch(() => undefined)
  await releaseLease(store, found.folder, id)
  return undefined
}

function layerOf(store: string, record: LayerRecord, lease: string): StoredLayer {
  const { folder, from, digest, summary, folders } = record
  const release = (): Promise<void> => releaseLease(store, folder, lease)
  const isNew = lease === makersLease
  return { path: join(store, folder), from, digest, summary, folders, isNew, release }
}

async function isAsRecorded(store: string, key: string, record: LayerRecord): Promise<boolean> {
  const path = join(store, record.folder)
  const times = await listContent(path, record.folders, 'times')
  if (times.digest === record.times) return true
  const bytes = await listContent(path, record.folders, 'bytes')
  if (bytes.digest !== record.bytes) return false
  await writeRecord(store, key, { ...record, times: times.digest }, 'replace')
  return true
}

export interface NewLayer extends Omit<StoredLayer, 'digest' | 'isNew' | 'release'> {
  readonly key: string
}

/** Where one is to be made; nobody knows of it yet. Keep it or remove it. */
export async function newLayerFolder(store: string): Promise<string> {
  const folder = randomUUID()
  const path = join(store, folder)
  await takeLease(store, folder, makersLease)
  await mkdir(path, { mode: 0o700 })
  return path
}

export async function removeLayerFolder(store: string, path: string): Promise<void> {
  await removeTree(path)
  await releaseLease(store, folderIn(store, path), makersLease)
}

/** All that is in its folder has its final rights. */
export async function keepLayer(store: string, made: NewLayer, triesMax = 5): Promise<StoredLayer> {
  const { key, path, from, summary, folders } = made
  const entries: ContentEntry[] = []
  const bytes = await listContent(path, folders, 'bytes', { onEntry: (one) => entries.push(one) })
  const unsharedBytes = await shareFiles(store, entries)
  const times = await listContent(path, folders, 'times')
  const record: LayerRecord = {
    version: 2,
    folder: folderIn(store, path),
    from,
    digest: `${key}:${bytes.digest}`,
    bytes: bytes.digest,
    times: times.digest,
    unsharedBytes,
    summary,
    folders,
  }
  if (await writeRecord(store, key, record, 'first')) return layerOf(store, record, makersLease)
  const other = await findLayer(store, key)
  if (other !== undefined) {
    await removeLayerFolder(store, path)
    return other
  }
  if (triesMax > 1) return keepLayer(store, made, triesMax - 1)
  const advice = 'Stop what changes it, then resume.'
  throw new LoopError('workspace-failed', `The layers in ${store} keep being changed. ${advice}`)
}

const folderIn = (store: string, path: string): string => path.slice(store.length + 1)

export const recordPath = (store: string, key: string): string => join(store, `${key}.json`)

export async function readRecord(store: string, key: string): Promise<LayerRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(recordPath(store, key), 'utf8')))
  } catch {
    return undefined
  }
}

/** False: somebody else was first. */
export async function writeRecord(
  store: string,
  key: string,
  record: LayerRecord,
  how: 'first' | 'replace',
): Promise<boolean> {
  const written = join(store, `${record.folder}.${randomUUID()}.new`)
  await writeFile(written, JSON.stringify(record), { mode: 0o600 })
  try {
    if (how === 'replace') await rename(written, recordPath(store, key))
    else await link(written, recordPath(store, key))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(written, { force: true })
  }
}
