/**
 * Makes a directory be what a tree says, and writes only what differs.
 *
 * 1. Nothing outside the root changes. Each directory is looked at, and found to be no link, before
 *    anything in it is touched; and a file is replaced, never written into, so that what shares its
 *    inode elsewhere stays as it was.
 * 2. A file has its old content or its new one. A restore that was killed leaves a state that the
 *    next one finishes; a temporary file it left is an extra file, and goes.
 */

import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { TreeId } from '../loop/index.ts'
import { type Bytes, inside, toPath } from './bytes.ts'
import { inParallel } from './in-parallel.ts'
import { at, hasCode, linkTarget, look, namesIn, type Place, width } from './place.ts'
import { ChangedError, hashFile } from './read-file.ts'
import { clearDirectory, makeUsable, remove } from './remove.ts'
import { type FileEntry, type LinkEntry, loadTree } from './tree-object.ts'
import { writeFile } from './write-file.ts'

export async function restore(place: Place, tree: TreeId, path: Bytes = ''): Promise<void> {
  const entries = await loadTree(place.blobs, tree)
  const wanted = entries.filter(({ name }) => !place.exclusions.has(inside(path, name)))
  await removeOthers(place, path, new Set(entries.map(({ name }) => name)))
  await inParallel(wanted, width, async (entry) => {
    if (entry.type === 'file') await restoreFile(place, inside(path, entry.name), entry)
    else if (entry.type === 'link') await restoreLink(place, inside(path, entry.name), entry)
  })
  for (const entry of wanted) {
    if (entry.type !== 'directory') continue
    await makeDirectory(place, inside(path, entry.name))
    await restore(place, entry.tree, inside(path, entry.name))
  }
}

async function removeOthers(place: Place, path: Bytes, wanted: ReadonlySet<Bytes>): Promise<void> {
  const seen = await look(place, path)
  if (seen?.isDirectory() !== true) throw new ChangedError(path)
  await makeUsable(place, path, seen)
  await inParallel(await namesIn(place, path), width, async (name) => {
    const inIt = inside(path, name)
    if (!wanted.has(name) && !place.exclusions.has(inIt)) await remove(place, inIt)
  })
}

async function restoreFile(place: Place, path: Bytes, entry: FileEntry): Promise<void> {
  const seen = await look(place, path)
  const file = seen?.isFile() === true ? seen : undefined
  if (file !== undefined && (await isSame(place, path, file, entry))) return
  await clearDirectory(place, path, seen)
  await replace(place, path, (temporary) => writeFile(place, temporary, entry, file))
}

async function restoreLink(place: Place, path: Bytes, { target }: LinkEntry): Promise<void> {
  const seen = await look(place, path)
  if (seen?.isSymbolicLink() === true && (await linkTarget(place, path)) === target) return
  await clearDirectory(place, path, seen)
  const { symlink } = place.files
  await replace(place, path, (temporary) => symlink(toPath(target), at(place, temporary)))
}

async function makeDirectory(place: Place, path: Bytes): Promise<void> {
  const seen = await look(place, path)
  if (seen?.isDirectory() === true) return
  if (seen !== undefined) await place.files.unlink(at(place, path))
  await place.files.mkdir(at(place, path))
}

async function isSame(
  place: Place,
  path: Bytes,
  seen: BigIntStats,
  entry: FileEntry,
): Promise<boolean> {
  const executable = (seen.mode & 0o100n) !== 0n
  if (executable !== entry.executable || Number(seen.size) !== entry.bytes) return false
  const known = place.cache.find(path, seen)
  if (known !== undefined) return known === entry.blob
  const readAtMs = place.now()
  try {
    if ((await hashFile(place, path, seen)) !== entry.blob) return false
    place.cache.remember(path, seen, entry.blob, readAtMs)
    return true
  } catch (error) {
    // What cannot be read can still be replaced.
    if (error instanceof ChangedError || hasCode(error, 'EACCES', 'EPERM')) return false
    throw error
  }
}

async function replace(
  place: Place,
  path: Bytes,
  make: (temporary: Bytes) => Promise<void>,
): Promise<void> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const temporary = inside(folder, `.loopwright-${randomUUID()}`)
  try {
    await make(temporary)
    await place.files.rename(at(place, temporary), at(place, path))
  } catch (error) {
    // Why it failed matters more than what the clean-up meets.
    await place.files.unlink(at(place, temporary)).catch(() => {})
    throw error
  }
}
