/**
 * Files that layers have in common, kept once: `layers/objects/ab/<sha256>-<mode>` is a hard link to the file
 * in each layer that has it.
 *
 * 1. Only files inside the store are linked, after all that made the layer has ended. Layers are shown by
 *    read-only mounts and as lower layers of overlays only, so that nobody writes through a link.
 * 2. A file is replaced by an object only after the object's bytes were found to be the same.
 * 3. An object is a file that we wrote. One that an install wrote may have attributes, such as those that
 *    overlays read, and would bring them into the layers of other projects.
 * 4. No lock is needed: a link is made or it is not, and an object that only the store still links is unused.
 */

import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type ContentEntry, sha256Of } from './list-content.ts'

export const objectsFolder = (store: string): string => join(store, 'objects')

const turnLength = 256

/** Returns what the rest takes up on disk: folders, links, and files that could not be shared. */
export async function shareFiles(store: string, entries: readonly ContentEntry[]): Promise<number> {
  let unsharedBytes = 0
  for (const [index, entry] of entries.entries()) {
    if (index % turnLength === 0) await setImmediate()
    if (!shareFile(store, entry)) unsharedBytes += Number(entry.stat.blocks) * 512
  }
  return unsharedBytes
}

function shareFile(store: string, entry: ContentEntry): boolean {
  const object = objectPath(store, entry)
  if (object === undefined) return false
  try {
    mkdirSync(dirname(object), { recursive: true, mode: 0o700 })
    const beside = `${entry.path}.${randomUUID().slice(0, 8)}`
    if (isGood(object, entry)) {
      linkSync(object, beside)
      renameSync(beside, entry.path)
      return true
    }
    copyFileSync(entry.path, beside)
    utimesSync(beside, Number(entry.stat.atimeMs) / 1000, Number(entry.stat.mtimeMs) / 1000)
    renameSync(beside, entry.path)
    rmSync(object, { force: true })
    linkSync(entry.path, object)
    return true
  } catch (error) {
    // Too many links, none on this file system, or the object came or went meanwhile: it stays a file by itself.
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

/** Compiled Python is valid for one time of change of its source. */
function objectPath(store: string, { path, digest, stat }: ContentEntry): string | undefined {
  if (digest === undefined || stat.size === 0n) return undefined
  const mode = (stat.mode & 0o777n).toString(8)
  const time = path.endsWith('.py') ? `-${stat.mtimeMs / 1000n}` : ''
  return join(objectsFolder(store), digest.slice(0, 2), `${digest}-${mode}${time}`)
}

/** The disk may have failed since, or somebody have written to it. */
function isGood(object: string, { digest, stat }: ContentEntry): boolean {
  const found = lstatSync(object, { bigint: true, throwIfNoEntry: false })
  if (found === undefined || !found.isFile()) return false
  if (found.size !== stat.size || found.mode !== stat.mode) return false
  return sha256Of(object, found.size) === digest
}

export interface SweptObjects {
  readonly freedBytes: number
  readonly keptBytes: number
}

/** Removes objects that no layer has any more. */
export async function sweepObjects(store: string): Promise<SweptObjects> {
  let [freedBytes, keptBytes] = [0, 0]
  for (const folder of namesIn(objectsFolder(store))) {
    await setImmediate()
    for (const name of namesIn(join(objectsFolder(store), folder))) {
      const path = join(objectsFolder(store), folder, name)
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found === undefined) continue
      if (found.nlink > 1) keptBytes += found.blocks * 512
      else freedBytes += removeObject(path) ? found.blocks * 512 : 0
    }
  }
  return { freedBytes, keptBytes }
}

/** False: another process swept it. */
function removeObject(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch {
    return false
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
