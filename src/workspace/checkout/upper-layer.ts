/**
 * The upper layer of an overlay over a checkout: what commands write, on disk beside the files of the tree,
 * which they cannot change.
 */

import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  type Stats,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Bytes, fromBuffer, fromText, inside, show } from '../bytes.ts'
import { findWritten } from './find-written.ts'
import type { Wanted } from './sweep.ts'
import { at, type SweptFolder, takeAway } from './swept-folder.ts'
import type { ContentHash } from './tree-source.ts'
import { changedSince, listUpper, type UpperListing } from './written-in.ts'

export interface UpperLayer {
  /** What the sandbox is given; the layer is `upper` in it. */
  readonly folder: string
  /** Empties it. What is at these paths goes into the checkout first. */
  reset(keep: ReadonlySet<Bytes>): Promise<void>
  /** What was written since then, for people, sorted. */
  written(): Promise<readonly string[]>
  /** Files of the tree that are others in the layer, or removed in it. */
  findChanged(tree: Pick<Wanted, 'files' | 'folders'>, hash: ContentHash): Promise<readonly Bytes[]>
}

type Folder = Pick<SweptFolder, 'root' | 'trash'>

/** Folders that hide what is below them, by their paths from the top. Undefined: it cannot be found out. */
export type FindOpaque = (upper: string) => Promise<readonly Bytes[] | undefined>

export function openUpperLayer(
  folder: string,
  checkout: Folder,
  findOpaque: FindOpaque = async () => undefined,
): UpperLayer {
  const upper = join(folder, 'upper')
  const layer: Folder = { root: fromText(upper), trash: checkout.trash }
  mkdirSync(upper, { recursive: true, mode: 0o755 })
  let before: UpperListing | undefined
  return {
    folder,
    async reset(keep) {
      const opaque = new Set(keep.size === 0 ? [] : await findOpaque(upper))
      for (const path of keep) moveKept(layer, checkout, path, opaque)
      renameSync(upper, join(checkout.trash, randomUUID()))
      mkdirSync(upper, { mode: 0o755 })
      before = await listUpper(upper)
    },
    async written() {
      const now = await listUpper(upper)
      // The kernel marks new folders too, though there is nothing that they could hide.
      const hiding = ((await findOpaque(upper)) ?? []).filter((path) => look(checkout, path))
      const opaque = hiding.map(show)
      return [...new Set([...changedSince(now, before ?? now), ...opaque])].toSorted()
    },
    async findChanged({ files, folders }, hash) {
      const { entries } = await listUpper(upper)
      const opaque = new Set(await findOpaque(upper))
      const touched = [...entries.keys(), ...opaque].flatMap((path) => {
        if (files.has(path)) return [path]
        // A whiteout or a file where a folder was; an empty folder is one still.
        const isGone =
          opaque.has(path) || (folders.has(path) && look(layer, path)?.isDirectory() !== true)
        return isGone ? [...files.keys()].filter((one) => one.startsWith(`${path}/`)) : []
      })
      const found = new Set(touched)
      const ofTree = new Map([...files].filter(([path]) => found.has(path)))
      const place = { ...layer, hash, trustsTimes: false, known: new Map() }
      return findWritten(place, { files: ofTree }, ofTree.size)
    },
  }
}

/** Nothing is done where it is not there, or a folder on the way is something else. */
function moveKept(layer: Folder, checkout: Folder, path: Bytes, opaque: ReadonlySet<Bytes>): void {
  const parts = path.split('/')
  const onTheWay = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
  const isThere = ['', ...onTheWay].every((one) => enter(layer, one))
  const isFree = onTheWay.every((one) => makeFolder(checkout, one))
  if (isThere && isFree && look(layer, path) !== undefined) merge(layer, checkout, path, opaque)
}

/** What is in the layer covers what is in the checkout; a whiteout removes it. */
function merge(layer: Folder, checkout: Folder, top: Bytes, opaque: ReadonlySet<Bytes>): void {
  const queue: Bytes[] = [top]
  for (const path of queue) {
    const seen = look(layer, path)
    const there = lstatSync(at(checkout, path), { bigint: true, throwIfNoEntry: false })
    const areFolders = seen?.isDirectory() === true && there?.isDirectory() === true
    if (areFolders && !opaque.has(path)) {
      enter(layer, path)
      for (const name of readdirSync(at(layer, path), { encoding: 'buffer' })) {
        queue.push(inside(path, fromBuffer(name)))
      }
      continue
    }
    if (there !== undefined) takeAway(checkout, path, there)
    if (seen?.isCharacterDevice() === true) unlinkSync(at(layer, path))
    else if (seen !== undefined) {
      // A folder that may not be written cannot be moved elsewhere.
      if (seen.isDirectory()) chmodSync(at(layer, path), 0o755)
      renameSync(at(layer, path), at(checkout, path))
    }
  }
}

/** False: it is not a folder. */
function enter(place: Folder, path: Bytes): boolean {
  if (look(place, path)?.isDirectory() !== true) return false
  chmodSync(at(place, path), 0o755)
  return true
}

/** False: it is something else. */
function makeFolder(place: Folder, path: Bytes): boolean {
  const seen = look(place, path)
  if (seen === undefined) mkdirSync(at(place, path), { mode: 0o755 })
  return seen === undefined || seen.isDirectory()
}

const look = (place: Folder, path: Bytes): Stats | undefined =>
  lstatSync(at(place, path), { throwIfNoEntry: false })
