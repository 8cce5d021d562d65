/**
 * The upper layer of an overlay over a checkout: what commands write is on disk, separate from the files of the
 * tree, which they cannot change.
 */

import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Bytes, fromBuffer, fromText, joinBytes, toDisplay } from '../bytes.ts'
import { findChangedFiles } from './find-changed-files.ts'
import type { ExpectedFiles } from './sweep.ts'
import { absolutePath, discard, type SweptFolder } from './swept-folder.ts'
import type { ContentHash } from './tree-source.ts'
import { diffListings, listUpper, type UpperListing } from './upper-listing.ts'

export interface UpperLayer {
  /** Passed to the sandbox; contains the layer as `upper`. */
  readonly folder: string
  /** Moves the kept paths into the checkout, then empties the layer. */
  reset(keep: ReadonlySet<Bytes>): Promise<void>
  /** Everything written since the last reset, for display, sorted. */
  written(): Promise<readonly string[]>
  /** Files of the tree that the layer changes or removes. */
  findChanged(
    tree: Pick<ExpectedFiles, 'files' | 'folders'>,
    hash: ContentHash,
  ): Promise<readonly Bytes[]>
}

type Folder = Pick<SweptFolder, 'root' | 'trash'>

/** Finds folders that hide the lower layer, relative to the layer. Undefined: unknown. */
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
      discardLayer(upper, checkout.trash)
      mkdirSync(upper, { mode: 0o755 })
      before = await listUpper(upper)
    },
    async written() {
      const now = await listUpper(upper)
      // The kernel marks new folders too, although they hide nothing.
      const hiding = ((await findOpaque(upper)) ?? []).filter((path) => lstatAt(checkout, path))
      const opaque = hiding.map(toDisplay)
      return [...new Set([...diffListings(now, before ?? now), ...opaque])].toSorted()
    },
    async findChanged({ files, folders }, hash) {
      const { entries } = await listUpper(upper)
      const opaque = new Set(await findOpaque(upper))
      const touched = [...entries.keys(), ...opaque].flatMap((path) => {
        if (files.has(path)) return [path]
        // A whiteout or a file replaced the folder; an empty folder did not.
        const wasReplaced =
          opaque.has(path) || (folders.has(path) && lstatAt(layer, path)?.isDirectory() !== true)
        return wasReplaced ? [...files.keys()].filter((one) => one.startsWith(`${path}/`)) : []
      })
      const found = new Set(touched)
      const expected = new Map([...files].filter(([path]) => found.has(path)))
      const swept = { ...layer, hash, hasReliableTimes: false, known: new Map() }
      return findChangedFiles(swept, { files: expected }, expected.size)
    },
  }
}

/** An empty one is removed at once. */
function discardLayer(upper: string, trash: string): void {
  try {
    rmdirSync(upper)
  } catch {
    renameSync(upper, join(trash, randomUUID()))
  }
}

/** Does nothing if the path is missing, or if a parent of it is not a folder. */
function moveKept(layer: Folder, checkout: Folder, path: Bytes, opaque: ReadonlySet<Bytes>): void {
  const parts = path.split('/')
  const parents = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
  const exists = ['', ...parents].every((one) => makeAccessible(layer, one))
  const isFree = parents.every((one) => makeFolder(checkout, one))
  if (exists && isFree && lstatAt(layer, path) !== undefined) merge(layer, checkout, path, opaque)
}

/** The layer replaces the files of the checkout; a whiteout removes them. */
function merge(layer: Folder, checkout: Folder, top: Bytes, opaque: ReadonlySet<Bytes>): void {
  const queue: Bytes[] = [top]
  for (const path of queue) {
    const seen = lstatAt(layer, path)
    const existing = lstatSync(absolutePath(checkout, path), {
      bigint: true,
      throwIfNoEntry: false,
    })
    const areFolders = seen?.isDirectory() === true && existing?.isDirectory() === true
    if (areFolders && !opaque.has(path)) {
      makeAccessible(layer, path)
      for (const name of readdirSync(absolutePath(layer, path), { encoding: 'buffer' })) {
        queue.push(joinBytes(path, fromBuffer(name)))
      }
      continue
    }
    if (existing !== undefined) discard(checkout, path, existing)
    if (seen?.isCharacterDevice() === true) unlinkSync(absolutePath(layer, path))
    else if (seen !== undefined) {
      // A read-only folder cannot be moved to another parent.
      if (seen.isDirectory()) chmodSync(absolutePath(layer, path), 0o755)
      renameSync(absolutePath(layer, path), absolutePath(checkout, path))
    }
  }
}

/** False if it is not a folder. */
function makeAccessible(folder: Folder, path: Bytes): boolean {
  if (lstatAt(folder, path)?.isDirectory() !== true) return false
  chmodSync(absolutePath(folder, path), 0o755)
  return true
}

/** False if another kind of file exists there. */
function makeFolder(folder: Folder, path: Bytes): boolean {
  const seen = lstatAt(folder, path)
  if (seen === undefined) mkdirSync(absolutePath(folder, path), { mode: 0o755 })
  return seen === undefined || seen.isDirectory()
}

const lstatAt = (folder: Folder, path: Bytes): Stats | undefined =>
  lstatSync(absolutePath(folder, path), { throwIfNoEntry: false })
