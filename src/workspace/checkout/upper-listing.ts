/**
 * Lists what commands wrote to the lower layer of an overlay: the content of the upper layer.
 *
 * 1. A file that was changed and restored is in it, and a removed file leaves a whiteout. A folder in which
 *    something was created and removed again is in it, empty.
 * 2. Commands choose names and modes: no symlink is followed, and unreadable folders are made readable.
 */

import { type BigIntStats, chmodSync, lstatSync, readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type Bytes, fromBuffer, fromText, joinBytes, toDisplay } from '../bytes.ts'
import { identityOf } from '../stat-cache.ts'
import { absolutePath } from './swept-folder.ts'

export interface UpperListing {
  /** The identity of each entry except non-empty folders, by path relative to the top. */
  readonly entries: ReadonlyMap<Bytes, string>
  /** The identity of the top folder. */
  readonly top: string
}

const filesPerTurn = 256

/** Everything in the upper layer, for display, sorted. */
export async function listWritten(upper: string): Promise<readonly string[]> {
  const { entries } = await listUpper(upper)
  return diffListings({ entries, top: '' }, { entries: new Map(), top: '' })
}

/** `.` means that something in the top folder was created and removed again. */
export function diffListings(now: UpperListing, before: UpperListing): readonly string[] {
  const changed = [...now.entries].filter(
    ([path, identity]) => before.entries.get(path) !== identity,
  )
  const removed = [...before.entries.keys()].filter((path) => !now.entries.has(path))
  const paths = [...changed.map(([path]) => path), ...removed].map(toDisplay)
  return paths.length === 0 && now.top !== before.top ? ['.'] : paths.toSorted()
}

export async function listUpper(upper: string): Promise<UpperListing> {
  const layer = { root: fromText(upper) }
  const entries = new Map<Bytes, string>()
  const queue: Bytes[] = ['']
  let scanned = 0
  for (const folder of queue) {
    const names = listNames(layer, folder)
    if (names.length === 0 && folder !== '') entries.set(folder, identify(lstatAt(layer, folder)))
    for (const name of names) {
      scanned += 1
      if (scanned % filesPerTurn === 0) await setImmediate()
      const path = joinBytes(folder, fromBuffer(name))
      const seen = lstatAt(layer, path)
      if (seen?.isDirectory() === true) queue.push(path)
      else entries.set(path, identify(seen))
    }
  }
  return { entries, top: identify(lstatAt(layer, '')) }
}

/** Without the ctime of folders: a mount changes that of the top, and each removed entry that of its folder. */
const identify = (seen: BigIntStats | undefined): string =>
  seen === undefined
    ? ''
    : seen.isDirectory()
      ? `${seen.mode} ${seen.ino} ${seen.mtimeNs}`
      : `${seen.mode} ${identityOf(seen)}`

/** Empty if the folder cannot be read; it is then listed instead of its content. */
function listNames(layer: { readonly root: Bytes }, folder: Bytes): readonly Buffer[] {
  const path = absolutePath(layer, folder)
  try {
    const { mode } = lstatSync(path)
    if ((mode & 0o700) !== 0o700) chmodSync(path, (mode & 0o777) | 0o700)
    return readdirSync(path, { encoding: 'buffer' })
  } catch {
    return []
  }
}

/** Undefined if the path exceeds the system's limit or its folder is not accessible. */
function lstatAt(layer: { readonly root: Bytes }, path: Bytes): BigIntStats | undefined {
  try {
    return lstatSync(absolutePath(layer, path), { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
