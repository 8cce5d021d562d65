/** Takes things out of a workspace, with nothing but names: no link is followed, no file opened. */

import type { BigIntStats } from 'node:fs'
import { LoopError } from '../loop/index.ts'
import { type Bytes, inside, show } from './bytes.ts'
import { inParallel } from './in-parallel.ts'
import { at, look, namesIn, type OwnFolder, width } from './place.ts'

/** False when something below it is excluded: that stays, and the folders above it. */
export async function remove(place: OwnFolder, path: Bytes): Promise<boolean> {
  if (place.exclusions.protects(path)) return false
  const seen = await look(place, path)
  if (seen === undefined) return true
  if (!seen.isDirectory()) {
    await place.files.unlink(at(place, path))
    return true
  }
  await makeUsable(place, path, seen)
  let isEmpty = true
  await inParallel(await namesIn(place, path), width, async (name) => {
    if (!(await remove(place, inside(path, name)))) isEmpty = false
  })
  if (isEmpty) await place.files.rmdir(at(place, path))
  return isEmpty
}

/** Makes room for something else under the same name. What is not a directory gets replaced. */
export async function clearDirectory(
  place: OwnFolder,
  path: Bytes,
  seen: BigIntStats | undefined,
): Promise<void> {
  if (seen?.isDirectory() !== true || (await remove(place, path))) return
  const advice = 'Move the excluded paths that are in it elsewhere, then resume.'
  const what = `${show(path)} in ${show(place.root)} is a directory in the way of a restore.`
  throw new LoopError('workspace-failed', `${what} ${advice}`)
}

/** An agent may have left a directory that even its owner cannot change. */
export async function makeUsable(place: OwnFolder, path: Bytes, seen: BigIntStats): Promise<void> {
  const mode = Number(seen.mode) & 0o7777
  if ((mode & 0o700) !== 0o700) await place.files.chmod(at(place, path), mode | 0o700)
}
