/** Reads trees without a workspace, for garbage collection, export and comparison. */

import type { Blobs, Trees } from '../engine/index.ts'
import type { BlobId, TreeId } from '../loop/index.ts'
import { asText, type Bytes, joinBytes, toDisplay } from './bytes.ts'
import { isGitTree } from './git/git-tree-id.ts'
import {
  type FileEntry,
  type LinkEntry,
  loadTree,
  renderTree,
  type TreeEntry,
  toBlobId,
} from './tree-object.ts'

/** Paths are for display: bytes that are not UTF-8 are written as `\xff`. */
export type TreeItem = (
  | { readonly path: string; readonly mode: 'directory' }
  | {
      readonly path: string
      readonly mode: 'file' | 'executable'
      readonly blob: BlobId
      readonly bytes: number
    }
  | { readonly path: string; readonly mode: 'link'; readonly target: string }
) & {
  /** The path or the target is not UTF-8, so this is only its display form. */
  readonly isText?: false
}

/** Paths of files and symlinks, and of empty directories, which end in a slash. */
export interface TreeDifference {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

export interface DirectoryTrees extends Trees {
  /** Skips what is in `seen`, so that trees that share most of their content are cheap. */
  reachable(tree: TreeId, seen?: Set<string>): AsyncIterable<BlobId>
  readTree(tree: TreeId): AsyncIterable<TreeItem>
  diffTrees(before: TreeId, after: TreeId): Promise<TreeDifference>
}

export function createTrees(blobs: Blobs): DirectoryTrees {
  return {
    reachable: (tree, seen = new Set()) => reachable(blobs, tree, seen),
    readTree: (tree) => listItems(blobs, tree, ''),
    diffTrees: async (before, after) => {
      const found = { added: [], changed: [], removed: [] }
      await compare(blobs, '', { before, after }, found)
      return found
    },
  }
}

async function* reachable(blobs: Blobs, tree: TreeId, seen: Set<string>): AsyncGenerator<BlobId> {
  // git stores its own trees.
  if (seen.has(tree) || isGitTree(tree)) return
  seen.add(tree)
  yield toBlobId(tree)
  for (const entry of await loadTree(blobs, tree)) {
    if (entry.type === 'directory') yield* reachable(blobs, entry.tree, seen)
    else if (entry.type === 'file' && !seen.has(entry.blob)) {
      seen.add(entry.blob)
      yield entry.blob
    }
  }
}

async function* listItems(blobs: Blobs, tree: TreeId, folder: Bytes): AsyncGenerator<TreeItem> {
  for (const entry of await loadTree(blobs, tree)) {
    const child = joinBytes(folder, entry.name)
    const path = toDisplay(child)
    const target = entry.type === 'link' ? entry.target : ''
    const isText = asText(child) !== undefined && asText(target) !== undefined
    const shown = isText ? { path } : ({ path, isText } as const)
    if (entry.type === 'link') yield { ...shown, mode: 'link', target: toDisplay(target) }
    else if (entry.type === 'file') {
      const mode = entry.executable ? 'executable' : 'file'
      yield { ...shown, mode, blob: entry.blob, bytes: entry.bytes }
    } else {
      yield { ...shown, mode: 'directory' }
      yield* listItems(blobs, entry.tree, child)
    }
  }
}

async function compare(
  blobs: Blobs,
  folder: Bytes,
  trees: { readonly before: TreeId | undefined; readonly after: TreeId | undefined },
  found: Record<keyof TreeDifference, string[]>,
): Promise<void> {
  if (trees.before === trees.after) return
  const before = await entriesByName(blobs, trees.before)
  const after = await entriesByName(blobs, trees.after)
  if (trees.before === undefined && after.size === 0) found.added.push(`${toDisplay(folder)}/`)
  if (trees.after === undefined && before.size === 0) found.removed.push(`${toDisplay(folder)}/`)
  for (const name of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const old = before.get(name)
    const current = after.get(name)
    const path = joinBytes(folder, name)
    if (isLeaf(old) && isLeaf(current)) {
      if (renderTree([old]) !== renderTree([current])) found.changed.push(toDisplay(path))
    } else if (isLeaf(old)) found.removed.push(toDisplay(path))
    else if (isLeaf(current)) found.added.push(toDisplay(path))
    await compare(blobs, path, { before: subtree(old), after: subtree(current) }, found)
  }
}

async function entriesByName(
  blobs: Blobs,
  tree: TreeId | undefined,
): Promise<ReadonlyMap<Bytes, TreeEntry>> {
  const entries = tree === undefined ? [] : await loadTree(blobs, tree)
  return new Map(entries.map((entry) => [entry.name, entry]))
}

const isLeaf = (entry: TreeEntry | undefined): entry is FileEntry | LinkEntry =>
  entry !== undefined && entry.type !== 'directory'

const subtree = (entry: TreeEntry | undefined): TreeId | undefined =>
  entry?.type === 'directory' ? entry.tree : undefined
