/**
 * Finds out what a folder lacks to be what is wanted, and takes away all else. Nothing may be at work in it.
 *
 * 1. No link is followed: each folder was seen to be one before it is looked into. What goes is moved away
 *    by its name and removed later, however deep, long or closed it is inside.
 * 2. A file counts as unchanged without being read only if we have read it, and device, inode, size and
 *    both times are the same since. The time of the last change cannot be set by those who are held, but it
 *    has a tick: a file that was young when it was read is read again. See `trustsTimes` for file systems
 *    where a file can be changed without any of it.
 * 3. A file that is not as we left it is replaced, not mended: rights, attributes and second names go too.
 */

import {
  type BigIntStats,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type Bytes, fromBuffer, inside } from '../bytes.ts'
import { hasCode } from '../place.ts'
import { identityOf } from '../stat-cache.ts'
import { hashBytes, hashFile } from './hash-file.ts'
import { tidyKept } from './kept-paths.ts'
import { at, type SweptFolder, takeAway } from './swept-folder.ts'
import type { SourceFile } from './tree-source.ts'

export interface Wanted {
  readonly files: ReadonlyMap<Bytes, SourceFile>
  readonly folders: ReadonlySet<Bytes>
  /** Not looked at: somebody else's business. */
  readonly apart: ReadonlySet<Bytes>
  /** These stay if they are there. */
  readonly keep: ReadonlySet<Bytes>
  /** Folders on the way to those. */
  readonly passages: ReadonlySet<Bytes>
}

/** More than the tick of any file system that we know to have one below a second. */
const tickMs = 50n
const turnLength = 256

/** The files that are wanted and not there. All wanted folders are there afterwards. */
export async function sweep(place: SweptFolder, wanted: Wanted): Promise<readonly Bytes[]> {
  makeRoot(place)
  const there = new Set<Bytes>()
  const folders = new Set<Bytes>()
  const passages: Bytes[] = []
  const queue: Bytes[] = ['']
  let looked = 0
  for (const folder of queue) {
    for (const name of readdirSync(at(place, folder), { encoding: 'buffer' })) {
      looked += 1
      if (looked % turnLength === 0) await setImmediate()
      const path = inside(folder, fromBuffer(name))
      if (wanted.apart.has(path)) continue
      const seen = lstatSync(at(place, path), { bigint: true })
      const file = wanted.files.get(path)
      if (file !== undefined) {
        if (isAsWanted(place, path, seen, file)) there.add(path)
        else takeAway(place, path, seen)
      } else if (wanted.keep.has(path)) tidyKept(place, path)
      else if (seen.isDirectory() && (wanted.folders.has(path) || wanted.passages.has(path))) {
        makeOpen(place, path, seen)
        if (wanted.folders.has(path)) folders.add(path)
        else passages.push(path)
        queue.push(path)
      } else takeAway(place, path, seen)
    }
  }
  for (const path of passages.toReversed()) removeIfEmpty(place, path)
  for (const path of [...wanted.folders].toSorted()) {
    if (!folders.has(path)) mkdirSync(at(place, path))
  }
  for (const path of place.known.keys()) if (!there.has(path)) place.known.delete(path)
  return [...wanted.files.keys()].filter((path) => !there.has(path))
}

/** It may have been moved away itself, where no walls were. */
function makeRoot(place: SweptFolder): void {
  const seen = lstatSync(at(place, ''), { bigint: true, throwIfNoEntry: false })
  if (seen?.isDirectory() === true) return makeOpen(place, '', seen)
  if (seen !== undefined) unlinkSync(at(place, ''))
  mkdirSync(at(place, ''))
}

function isAsWanted(
  place: SweptFolder,
  path: Bytes,
  seen: BigIntStats,
  wanted: SourceFile,
): boolean {
  if (seen.isSymbolicLink()) {
    if (wanted.kind !== 'link') return false
    const target = readlinkSync(at(place, path), { encoding: 'buffer' })
    return hashBytes(target, place.hash) === wanted.content
  }
  if (!seen.isFile() || wanted.kind === 'link' || seen.nlink !== 1n) return false
  const known = place.known.get(path)
  if (known !== undefined) {
    return (
      known.identity === identityOf(seen) && known.content === wanted.content && fits(seen, wanted)
    )
  }
  if (!fits(seen, wanted)) return false
  const readAtMs = BigInt(Date.now())
  if (hashFile(at(place, path), Number(seen.size), place.hash) !== wanted.content) return false
  const isOld = seen.ctimeNs / 1_000_000n < readAtMs - tickMs
  if (place.trustsTimes && isOld) {
    place.known.set(path, { identity: identityOf(seen), content: wanted.content })
  }
  return true
}

/** Its owner may read and write it, may execute it if that is wanted, and it has no special rights. */
function fits({ mode }: BigIntStats, { kind }: SourceFile): boolean {
  return (mode & 0o7700n) === (kind === 'executable' ? 0o700n : 0o600n)
}

function makeOpen(place: SweptFolder, path: Bytes, { mode }: BigIntStats): void {
  if ((mode & 0o7700n) !== 0o700n) chmodSync(at(place, path), 0o755)
}

function removeIfEmpty(place: SweptFolder, path: Bytes): void {
  try {
    rmdirSync(at(place, path))
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}
