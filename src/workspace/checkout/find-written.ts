/** Which files of a swept folder are not what they were put there as. Nothing is changed. */

import { type BigIntStats, lstatSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Bytes } from '../bytes.ts'
import { hasCode } from '../place.ts'
import { identityOf } from '../stat-cache.ts'
import { hashBytes, hashFile } from './hash-file.ts'
import type { Wanted } from './sweep.ts'
import { at, type SweptFolder } from './swept-folder.ts'
import type { SourceFile } from './tree-source.ts'

const turnLength = 256

/** At most so many of them. A file that was written with what it held is as it was. */
export async function findWritten(
  place: SweptFolder,
  { files }: Pick<Wanted, 'files'>,
  max: number,
): Promise<readonly Bytes[]> {
  const written: Bytes[] = []
  let looked = 0
  for (const [path, file] of files) {
    looked += 1
    if (looked % turnLength === 0) await setImmediate()
    if (isAsPut(place, path, file)) continue
    written.push(path)
    if (written.length >= max) break
  }
  return written
}

function isAsPut(place: SweptFolder, path: Bytes, file: SourceFile): boolean {
  const seen = lookAt(place, path)
  if (seen === undefined) return false
  if (seen.isSymbolicLink()) {
    const target = readlinkSync(at(place, path), { encoding: 'buffer' })
    return file.kind === 'link' && hashBytes(target, place.hash) === file.content
  }
  if (!seen.isFile() || file.kind === 'link') return false
  if ((seen.mode & 0o100n) !== (file.kind === 'executable' ? 0o100n : 0n)) return false
  const known = place.known.get(path)
  if (known?.identity === identityOf(seen) && known.content === file.content) return true
  return hashFile(at(place, path), Number(seen.size), place.hash) === file.content
}

function lookAt(place: SweptFolder, path: Bytes): BigIntStats | undefined {
  try {
    return lstatSync(at(place, path), { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    // A folder on the way is none any more, or leads in circles.
    if (hasCode(error, 'ENOTDIR', 'ELOOP', 'EACCES')) return undefined
    throw error
  }
}
