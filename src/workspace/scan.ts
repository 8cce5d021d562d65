/**
 * A directory as a tree, with all its content kept: first everything is looked at, then the files
 * that changed are read, then the tree objects are made from the leaves up.
 *
 * 1. When it resolves, every blob of the tree is on disk.
 * 2. Links are kept as links and never followed. Sockets, pipes and devices are left out unopened.
 */

import type { BigIntStats } from 'node:fs'
import type { TreeId } from '../loop/index.ts'
import { type Bytes, inside } from './bytes.ts'
import { inParallel } from './in-parallel.ts'
import { linkTarget, look, namesIn, type Place, width } from './place.ts'
import { ChangedError, isGone, storeFile } from './read-file.ts'
import { renderTree, type TreeEntry, treeIdOf } from './tree-object.ts'

interface Directory {
  readonly path: Bytes
  readonly name: Bytes
  readonly parent: Directory | undefined
  readonly entries: TreeEntry[]
}

interface File {
  readonly path: Bytes
  readonly name: Bytes
  readonly parent: Directory
  readonly seen: BigIntStats
}

/** Rejects with `ChangedError` when the directory does not hold still. */
export async function scan(place: Place): Promise<TreeId> {
  const root: Directory = { path: '', name: '', parent: undefined, entries: [] }
  const files: File[] = []
  const levels = [[root]]
  for (const level of levels) {
    const below: Directory[] = []
    await inParallel(level, width, (directory) => lookInto(place, directory, below, files))
    if (below.length > 0) levels.push(below)
  }
  await inParallel(files, width, (file) => addFile(place, file))
  place.cache.keepOnly(new Set(files.map((file) => file.path)))
  for (const level of levels.slice(1).toReversed()) {
    await inParallel(level, width, (directory) => addDirectory(place, directory))
  }
  return storeTree(place, root)
}

async function lookInto(
  place: Place,
  directory: Directory,
  below: Directory[],
  files: File[],
): Promise<void> {
  try {
    await inParallel(await namesIn(place, directory.path), width, async (name) => {
      const path = inside(directory.path, name)
      if (place.exclusions.has(path)) return
      const seen = await look(place, path)
      if (seen === undefined) throw new ChangedError(path)
      if (seen.isFile()) files.push({ path, name, parent: directory, seen })
      else if (seen.isDirectory()) below.push({ path, name, parent: directory, entries: [] })
      else if (seen.isSymbolicLink()) {
        directory.entries.push({ type: 'link', name, target: await linkTarget(place, path) })
      }
    })
  } catch (error) {
    throw isGone(error) ? new ChangedError(directory.path, error) : error
  }
}

async function addFile(place: Place, { path, name, parent, seen }: File): Promise<void> {
  const blob = place.cache.findStored(path, seen) ?? (await storeFile(place, path, seen))
  const executable = (seen.mode & 0o100n) !== 0n
  parent.entries.push({ type: 'file', name, blob, bytes: Number(seen.size), executable })
}

async function addDirectory(place: Place, directory: Directory): Promise<void> {
  const { entries, name, parent, path } = directory
  if (entries.length === 0 && place.exclusions.isAbove(path)) return
  parent?.entries.push({ type: 'directory', name, tree: await storeTree(place, directory) })
}

async function storeTree(place: Place, { entries }: Directory): Promise<TreeId> {
  const text = renderTree(entries)
  const tree = treeIdOf(text)
  if (!place.cache.isStored(tree)) {
    await place.blobs.put(text)
    place.cache.stored(tree)
  }
  return tree
}
