/**
 * Layers that were made, to be used again: `<record>/layers/<key>.json` says where one is, what it was made
 * from and what is in it.
 *
 * 1. A layer is made in a folder that nobody else knows, and is there for others with its record, which is
 *    linked in: of two that were made at once, one is used. Its folder is never moved, since some managers
 *    write down where they are.
 * 2. Each use looks whether it is what was recorded: by times, sizes and rights of everything, and if those
 *    differ, by every byte. One that is something else is not used again.
 */

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { LoopError } from '../../loop/index.ts'
import { removeTree } from '../../workspace/index.ts'
import { listContent } from './list-content.ts'

export interface StoredLayer {
  /** The whole path of its folder. */
  readonly path: string
  readonly from: 'installed' | 'carried'
  readonly digest: string
  readonly summary: string
  /** Folders in it, by their paths in the checkout. */
  readonly folders: readonly string[]
}

export const layersFolder = (record: string): string => join(record, 'layers')

const recordSchema = z.strictObject({
  version: z.literal(1),
  folder: z.uuid(),
  from: z.enum(['installed', 'carried']),
  digest: z.string(),
  bytes: z.string(),
  times: z.string(),
  summary: z.string(),
  folders: z.array(z.string()),
})
type LayerRecord = z.infer<typeof recordSchema>

const unusedMs = 30 * 86_400_000
/** Nothing takes longer to be made. */
const abandonedMs = 86_400_000

/** Undefined: there is none, or it is not what it was. */
export async function findLayer(store: string, key: string): Promise<StoredLayer | undefined> {
  const record = await readRecord(recordPath(store, key))
  if (record === undefined) {
    // One that cannot be read would keep every other from its place.
    await rm(recordPath(store, key), { force: true, recursive: true })
    return undefined
  }
  const path = join(store, record.folder)
  const isSame = await isAsRecorded(store, key, record).catch(() => false)
  if (!isSame) {
    await unlink(recordPath(store, key)).catch(() => undefined)
    await removeTree(path)
    return undefined
  }
  const now = new Date()
  await utimes(recordPath(store, key), now, now).catch(() => undefined)
  const { from, digest, summary, folders } = record
  return { path, from, digest, summary, folders }
}

async function isAsRecorded(store: string, key: string, record: LayerRecord): Promise<boolean> {
  const path = join(store, record.folder)
  const times = await listContent(path, record.folders, 'times')
  if (times.digest === record.times) return true
  const bytes = await listContent(path, record.folders, 'bytes')
  if (bytes.digest !== record.bytes) return false
  // A backup that was put back, or somebody who only looked after it.
  await writeRecord(store, key, { ...record, times: times.digest }, 'replace')
  return true
}

export interface NewLayer extends Omit<StoredLayer, 'digest'> {
  readonly key: string
}

/** Where one is to be made; nobody knows of it yet. */
export async function newLayerFolder(store: string): Promise<string> {
  const path = join(store, randomUUID())
  await mkdir(store, { recursive: true, mode: 0o700 })
  await mkdir(path, { mode: 0o700 })
  return path
}

/** All that is in its folder has its final rights. */
export async function keepLayer(store: string, made: NewLayer, triesMax = 5): Promise<StoredLayer> {
  const { key, path, from, summary, folders } = made
  const bytes = await listContent(path, folders, 'bytes')
  const times = await listContent(path, folders, 'times')
  const digest = `${key}:${bytes.digest}`
  const record: LayerRecord = {
    version: 1,
    folder: path.slice(store.length + 1),
    from,
    digest,
    bytes: bytes.digest,
    times: times.digest,
    summary,
    folders: [...folders],
  }
  if (await writeRecord(store, key, record, 'first'))
    return { path, from, digest, summary, folders }
  const other = await findLayer(store, key)
  if (other !== undefined) {
    await removeTree(path)
    return other
  }
  if (triesMax > 1) return keepLayer(store, made, triesMax - 1)
  const advice = 'Stop what changes it, then resume.'
  throw new LoopError('workspace-failed', `The layers in ${store} keep being changed. ${advice}`)
}

/** Those that nobody used for long, and what was left by those who made one and were killed. */
export async function collectLayers(record: string, now: number): Promise<void> {
  const store = layersFolder(record)
  if (!existsSync(store)) return
  const names = await readdir(store)
  const used = new Set<string>()
  for (const name of names.filter((one) => one.endsWith('.json'))) {
    const path = join(store, name)
    const found = await readRecord(path)
    const isOld = (await stat(path)).mtimeMs < now - unusedMs
    if (found !== undefined && !isOld) used.add(found.folder)
    else await rm(path, { force: true })
  }
  for (const name of names.filter((one) => !one.endsWith('.json') && !used.has(one))) {
    const path = join(store, name)
    if ((await stat(path)).mtimeMs < now - abandonedMs) await removeTree(path)
  }
}

const recordPath = (store: string, key: string): string => join(store, `${key}.json`)

async function readRecord(path: string): Promise<LayerRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** False: somebody else was first. */
async function writeRecord(
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
