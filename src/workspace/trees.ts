/** What is in a tree, without a workspace: for garbage collection, export and comparison. */

import type { Blobs, Trees } from '../engine/index.ts'
import type { BlobId, TreeId } from '../loop/index.ts'
import { asText, type Bytes, inside, show } from './bytes.ts'
import { isGitTree } from './git/git-tree-id.ts'
import {
  blobOf,
  type FileEntry,
  type LinkEntry,
  loadTree,
  renderTree,
  type TreeEntry,
} from './tree-object.ts'

/** A path is for people; one that is not UTF-8 stands with `\xff` for its bytes. */
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
  /** The path or the target only stands for bytes that are no text. */
  readonly isText?: false
}

/** Paths of files and links, and of directories with nothing in them, which end in a slash. */
export interface TreeDifference {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

export interface DirectoryTrees extends Trees {
  /** With a set of what was seen already, trees that share most of their content are cheap. */
  reachable(tree: TreeId, seen?: Set<string>): AsyncIterable<BlobId>
  readTree(tree: TreeId): AsyncIterable<TreeItem>
  diffTrees(before: TreeId, after: TreeId): Promise<TreeDifference>
}

export function createTrees(blobs: Blobs): DirectoryTrees {
  return {
    reachable: (tree, seen = new Set()) => reachable(blobs, tree, seen),
    readTree: (tree) => items(blobs, tree, ''),
    diffTrees: async (before, after) => {
      const found = { added: [], changed: [], removed: [] }
      await compare(blobs, '', { before, after }, found)
      return found
    },
  }
}

async function* reachable(blobs: Blobs, tree: TreeId, seen: Set<string>): AsyncGenerator<BlobId> {
  // What is in git is kept by git.
  if (seen.has(tree) || isGitTree(tree)) return
  seen.add(tree)
  yield blobOf(tree)
  for (const entry of await loadTree(blobs, tree)) {
    if (entry.type === 'directory') yield* reachable(blobs, entry.tree, seen)
    else if (entry.type === 'file' && !seen.has(entry.blob)) {
      seen.add(entry.blob)
      yield entry.blob
    }
  }
}

async function* items(blobs: Blobs, tree: TreeId, folder: Bytes): AsyncGenerator<TreeItem> {
  for (const entry of await loadTree(blobs, tree)) {
    const within = inside(folder, entry.name)
    const path = show(within)
    const target = entry.type === 'link' ? entry.target : ''
    const isText = asText(within) !== undefined && asText(target) !== undefined
    const shown = isText ? { path } : ({ path, isText } as const)
    if (entry.type === 'link') yield { ...shown, mode: 'link', target: show(target) }
    else if (entry.type === 'file') {
      const mode = entry.executable ? 'executable' : 'file'
      yield { ...shown, mode, blob: entry.blob, bytes: entry.bytes }
    } else {
      yield { ...shown, mode: 'directory' }
      yield* items(blobs, entry.tree, within)
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
  if (trees.before === undefined && after.size === 0) found.added.push(`${show(folder)}/`)
  if (trees.after === undefined && before.size === 0) found.removed.push(`${show(folder)}/`)
  for (const name of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const was = before.get(name)
    const is = after.get(name)
    const path = inside(folder, name)
    if (isLeaf(was) && isLeaf(is)) {
      if (renderTree([was]) !== renderTree([is])) found.changed.push(show(path))
    } else if (isLeaf(was)) found.removed.push(show(path))
    else if (isLeaf(is)) found.added.push(show(path))
    await compare(blobs, path, { before: subtree(was), after: subtree(is) }, found)
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
