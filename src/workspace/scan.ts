/**
 * Stores a directory as a tree: first lists everything, then reads the files that changed, then creates the
 * tree objects from the leaves up.
 *
 * 1. When it resolves, every blob of the tree is on disk.
 * 2. Symlinks are stored as symlinks and never followed. Sockets, pipes and devices are skipped without being
 *    opened.
 */

import type { BigIntStats } from 'node:fs'
import type { TreeId } from '../loop/index.ts'
import { type Bytes, joinBytes } from './bytes.ts'
import { inParallel } from './in-parallel.ts'
import { ChangedError, storeFile, wasReplaced } from './read-file.ts'
import { computeTreeId, renderTree, type TreeEntry } from './tree-object.ts'
import {
  concurrency,
  listNames,
  readLinkTarget,
  tryLstat,
  type WorkspaceDirectory,
} from './workspace-directory.ts'

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

/** Rejects with `ChangedError` if the directory changes meanwhile. */
export async function scan(workspace: WorkspaceDirectory): Promise<TreeId> {
  const root: Directory = { path: '', name: '', parent: undefined, entries: [] }
  const files: File[] = []
  const levels = [[root]]
  for (const level of levels) {
    const below: Directory[] = []
    await inParallel(level, concurrency, (directory) =>
      listDirectory(workspace, directory, below, files),
    )
    if (below.length > 0) levels.push(below)
  }
  await inParallel(files, concurrency, (file) => addFile(workspace, file))
  workspace.cache.keepOnly(new Set(files.map((file) => file.path)))
  for (const level of levels.slice(1).toReversed()) {
    await inParallel(level, concurrency, (directory) => addDirectory(workspace, directory))
  }
  return storeTree(workspace, root)
}

async function listDirectory(
  workspace: WorkspaceDirectory,
  directory: Directory,
  below: Directory[],
  files: File[],
): Promise<void> {
  try {
    await inParallel(await listNames(workspace, directory.path), concurrency, async (name) => {
      const path = joinBytes(directory.path, name)
      if (workspace.exclusions.has(path)) return
      const seen = await tryLstat(workspace, path)
      if (seen === undefined) throw new ChangedError(path)
      if (seen.isFile()) files.push({ path, name, parent: directory, seen })
      else if (seen.isDirectory()) below.push({ path, name, parent: directory, entries: [] })
      else if (seen.isSymbolicLink()) {
        directory.entries.push({
          type: 'link',
          name,
          target: await readLinkTarget(workspace, path),
        })
      }
    })
  } catch (error) {
    throw wasReplaced(error) ? new ChangedError(directory.path, error) : error
  }
}

async function addFile(
  workspace: WorkspaceDirectory,
  { path, name, parent, seen }: File,
): Promise<void> {
  const blob = workspace.cache.findStored(path, seen) ?? (await storeFile(workspace, path, seen))
  const executable = (seen.mode & 0o100n) !== 0n
  parent.entries.push({ type: 'file', name, blob, bytes: Number(seen.size), executable })
}

async function addDirectory(workspace: WorkspaceDirectory, directory: Directory): Promise<void> {
  const { entries, name, parent, path } = directory
  if (entries.length === 0 && workspace.exclusions.isAbove(path)) return
  parent?.entries.push({ type: 'directory', name, tree: await storeTree(workspace, directory) })
}

async function storeTree(workspace: WorkspaceDirectory, { entries }: Directory): Promise<TreeId> {
  const text = renderTree(entries)
  const tree = computeTreeId(text)
  if (!workspace.cache.isStored(tree)) {
    await workspace.blobs.put(text)
    workspace.cache.markStored(tree)
  }
  return tree
}
