/**
 * Dependency layers for reuse: `<state folder>/layers/<key>.json` records the folder of a layer, how it was
 * made and its content.
 *
 * 1. A layer is created in a private folder. Other processes see it once its record is linked in, so of two
 *    layers created at the same time one is used. The folder is never moved, because some managers write
 *    its path into files.
 * 2. Each use compares the layer with its record: times, sizes and modes of everything, and if those differ
 *    (also because another layer now shares its files), every byte. A changed layer is not used again.
 * 3. A process that creates or uses a layer holds a lease on it (layer-leases.ts).
 */

import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { LoopError } from '../../loop/index.ts'
import { removeTree } from '../../workspace/index.ts'
import { makerLease, releaseLease, takeLease } from './layer-leases.ts'
import { type ContentEntry, listContent } from './list-content.ts'
import { shareFiles } from './shared-files.ts'

export interface StoredLayer {
  /** The absolute path of its folder. */
  readonly path: string
  readonly from: 'installed' | 'carried'
  readonly digest: string
  readonly summary: string
  /** The folders in the layer, as paths in the checkout. */
  readonly folders: readonly string[]
  /** It was just created, so the store has grown. */
  readonly isNew: boolean
  /** Allows its removal. */
  release(): Promise<void>
}

export const layersFolder = (stateFolder: string): string => join(stateFolder, 'layers')

export interface LayerRecord {
  readonly version: 2
  readonly folder: string
  readonly from: StoredLayer['from']
  readonly digest: string
  readonly bytes: string
  readonly times: string
  /** The size on disk of the files that are not shared with other layers. */
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

/** Undefined: there is none, or it was changed. The caller releases the layer after use. */
export async function findLayer(store: string, key: string): Promise<StoredLayer | undefined> {
  const found = await readRecord(store, key)
  if (found === undefined) {
    // An unreadable record would block every new one.
    await rm(recordPath(store, key), { force: true, recursive: true })
    return undefined
  }
  const id = randomUUID()
  await takeLease(store, found.folder, id)
  const record = await readRecord(store, key)
  const isSame =
    record?.folder === found.folder &&
    (await matchesRecord(store, key, record).catch(() => undefined))
  if (isSame === true) {
    const now = new Date()
    await utimes(recordPath(store, key), now, now).catch(() => undefined)
    return toLayer(store, found, id)
  }
  // The layer is damaged, unless it was removed meanwhile. The next collection removes the folder.
  if (record?.folder === found.folder) await unlink(recordPath(store, key)).catch(() => undefined)
  await releaseLease(store, found.folder, id)
  return undefined
}

function toLayer(store: string, record: LayerRecord, lease: string): StoredLayer {
  const { folder, from, digest, summary, folders } = record
  const release = (): Promise<void> => releaseLease(store, folder, lease)
  const isNew = lease === makerLease
  return { path: join(store, folder), from, digest, summary, folders, isNew, release }
}

async function matchesRecord(store: string, key: string, record: LayerRecord): Promise<boolean> {
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

/** A private folder for a new layer. The caller stores the layer or removes the folder. */
export async function createLayerFolder(store: string): Promise<string> {
  const folder = randomUUID()
  const path = join(store, folder)
  await takeLease(store, folder, makerLease)
  await mkdir(path, { mode: 0o700 })
  return path
}

export async function removeLayerFolder(store: string, path: string): Promise<void> {
  await removeTree(path)
  await releaseLease(store, folderIn(store, path), makerLease)
}

/** Adds the layer to the store. Its files must have their final modes. */
export async function storeLayer(
  store: string,
  layer: NewLayer,
  triesMax = 5,
): Promise<StoredLayer> {
  const { key, path, from, summary, folders } = layer
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
  if (await writeRecord(store, key, record, 'first')) return toLayer(store, record, makerLease)
  const other = await findLayer(store, key)
  if (other !== undefined) {
    await removeLayerFolder(store, path)
    return other
  }
  if (triesMax > 1) return storeLayer(store, layer, triesMax - 1)
  throw new LoopError(
    'workspace-failed',
    `The layers in ${store} keep changing because another process writes to them. Stop that process, then resume.`,
  )
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

/** Returns false if another process was first. */
export async function writeRecord(
  store: string,
  key: string,
  record: LayerRecord,
  how: 'first' | 'replace',
): Promise<boolean> {
  const temporary = join(store, `${record.folder}.${randomUUID()}.new`)
  await writeFile(temporary, JSON.stringify(record), { mode: 0o600 })
  try {
    if (how === 'replace') await rename(temporary, recordPath(store, key))
    else await link(temporary, recordPath(store, key))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(temporary, { force: true })
  }
}
