/**
 * What commands wrote to a folder that was the lower layer of an overlay: the contents of the upper layer.
 *
 * 1. A file that was changed and restored is there, and one that was removed left a whiteout. A folder in which
 *    something was created and removed again is there, empty.
 * 2. Commands chose names and modes: no link is followed, and a closed folder is opened.
 */

import { type BigIntStats, chmodSync, lstatSync, readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type Bytes, fromBuffer, fromText, inside, show } from '../bytes.ts'
import { identityOf } from '../stat-cache.ts'
import { at } from './swept-folder.ts'

export interface UpperListing {
  /** By their paths from the top: all but folders with something in them, and what identifies each. */
  readonly entries: ReadonlyMap<Bytes, string>
  /** What identifies the top. */
  readonly top: string
}

const turnLength = 256

/** Everything that is in the upper layer, for people, sorted. */
export async function writtenIn(upper: string): Promise<readonly string[]> {
  const { entries } = await listUpper(upper)
  return changedSince({ entries, top: '' }, { entries: new Map(), top: '' })
}

/** `.` is the top: something in it was created and removed again. */
export function changedSince(now: UpperListing, before: UpperListing): readonly string[] {
  const changed = [...now.entries].filter(
    ([path, identity]) => before.entries.get(path) !== identity,
  )
  const gone = [...before.entries.keys()].filter((path) => !now.entries.has(path))
  const paths = [...changed.map(([path]) => path), ...gone].map(show)
  return paths.length === 0 && now.top !== before.top ? ['.'] : paths.toSorted()
}

export async function listUpper(upper: string): Promise<UpperListing> {
  const place = { root: fromText(upper) }
  const entries = new Map<Bytes, string>()
  const queue: Bytes[] = ['']
  let looked = 0
  for (const folder of queue) {
    const names = namesIn(place, folder)
    if (names.length === 0 && folder !== '') entries.set(folder, identify(lstatAt(place, folder)))
    for (const name of names) {
      looked += 1
      if (looked % turnLength === 0) await setImmediate()
      const path = inside(folder, fromBuffer(name))
      const seen = lstatAt(place, path)
      if (seen?.isDirectory() === true) queue.push(path)
      else entries.set(path, identify(seen))
    }
  }
  return { entries, top: identify(lstatAt(place, '')) }
}

/** A mount changes the second time of the top, and each removed entry that of its folder. */
const identify = (seen: BigIntStats | undefined): string =>
  seen === undefined
    ? ''
    : seen.isDirectory()
      ? `${seen.mode} ${seen.ino} ${seen.mtimeNs}`
      : `${seen.mode} ${identityOf(seen)}`

/** None where it cannot be read: then the folder stands for what is in it. */
function namesIn(place: { readonly root: Bytes }, folder: Bytes): readonly Buffer[] {
  const path = at(place, folder)
  try {
    const { mode } = lstatSync(path)
    if ((mode & 0o700) !== 0o700) chmodSync(path, (mode & 0o777) | 0o700)
    return readdirSync(path, { encoding: 'buffer' })
  } catch {
    return []
  }
}

/** Undefined: its path is longer than the system can name, or its folder may not be entered. */
function lstatAt(place: { readonly root: Bytes }, path: Bytes): BigIntStats | undefined {
  try {
    return lstatSync(at(place, path), { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
