/**
 * Stores files that layers have in common once: `layers/objects/ab/<sha256>-<mode>` is a hard link to the
 * file in each layer that contains it.
 *
 * 1. Only files inside the store are linked, after every process of the install has ended. Layers are mounted
 *    read-only or as lower layers of overlays, so that nothing writes through a link.
 * 2. A file is replaced by an object only after their bytes were compared.
 * 3. An object is a file that we wrote. A file of an install may have extended attributes, such as those that
 *    overlays read, and would carry them into the layers of other projects.
 * 4. No lock is needed: linking is atomic, and an object with a single link is unused.
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
import { type ContentEntry, hashFile } from './list-content.ts'

export const objectsFolder = (store: string): string => join(store, 'objects')

const filesPerTurn = 256

/** Returns the size on disk of everything that is not shared: folders, links and some files. */
export async function shareFiles(store: string, entries: readonly ContentEntry[]): Promise<number> {
  let unsharedBytes = 0
  for (const [index, entry] of entries.entries()) {
    if (index % filesPerTurn === 0) await setImmediate()
    if (!shareFile(store, entry)) unsharedBytes += Number(entry.stat.blocks) * 512
  }
  return unsharedBytes
}

function shareFile(store: string, entry: ContentEntry): boolean {
  const object = objectPath(store, entry)
  if (object === undefined) return false
  try {
    mkdirSync(dirname(object), { recursive: true, mode: 0o700 })
    const temporary = `${entry.path}.${randomUUID().slice(0, 8)}`
    if (isIntact(object, entry)) {
      linkSync(object, temporary)
      renameSync(temporary, entry.path)
      return true
    }
    copyFileSync(entry.path, temporary)
    utimesSync(temporary, Number(entry.stat.atimeMs) / 1000, Number(entry.stat.mtimeMs) / 1000)
    renameSync(temporary, entry.path)
    rmSync(object, { force: true })
    linkSync(entry.path, object)
    return true
  } catch (error) {
    // Too many links, no support for links, or a race with another process: the file stays unshared.
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

/** Python files are shared only if their times match: compiled Python depends on the time of its source. */
function objectPath(store: string, { path, digest, stat }: ContentEntry): string | undefined {
  if (digest === undefined || stat.size === 0n) return undefined
  const mode = (stat.mode & 0o777n).toString(8)
  const time = path.endsWith('.py') ? `-${stat.mtimeMs / 1000n}` : ''
  return join(objectsFolder(store), digest.slice(0, 2), `${digest}-${mode}${time}`)
}

/** The disk may have failed, or the object may have been changed. */
function isIntact(object: string, { digest, stat }: ContentEntry): boolean {
  const found = lstatSync(object, { bigint: true, throwIfNoEntry: false })
  if (found === undefined || !found.isFile()) return false
  if (found.size !== stat.size || found.mode !== stat.mode) return false
  return hashFile(object, found.size) === digest
}

export interface SweptObjects {
  readonly freedBytes: number
  readonly keptBytes: number
}

/** Removes objects that no layer uses. */
export async function sweepObjects(store: string): Promise<SweptObjects> {
  let [freedBytes, keptBytes] = [0, 0]
  for (const folder of listNames(objectsFolder(store))) {
    await setImmediate()
    for (const name of listNames(join(objectsFolder(store), folder))) {
      const path = join(objectsFolder(store), folder, name)
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found === undefined) continue
      if (found.nlink > 1) keptBytes += found.blocks * 512
      else freedBytes += removeObject(path) ? found.blocks * 512 : 0
    }
  }
  return { freedBytes, keptBytes }
}

/** Returns false if another process removed it. */
function removeObject(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch {
    return false
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
