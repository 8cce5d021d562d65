/** A source of trees that are stored as blobs, as for plain directories. */

import { createHash } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import type { Blobs } from '../../engine/index.ts'
import type { BlobId, TreeId } from '../../loop/index.ts'
import { type Bytes, fromText, joinBytes, toPath } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { inParallel } from '../in-parallel.ts'
import { createStatCache } from '../stat-cache.ts'
import { type FileEntry, type LinkEntry, loadTree } from '../tree-object.ts'
import { absolutePath, concurrency, type WorkspaceDirectory } from '../workspace-directory.ts'
import { writeFile } from '../write-file.ts'
import type { SourceFile, TreeFiles, TreeSource } from './tree-source.ts'

type Leaf = FileEntry | LinkEntry

interface TreeListing extends TreeFiles {
  readonly leaves: ReadonlyMap<Bytes, Leaf>
}

export function createBlobSource(blobs: Blobs): TreeSource {
  /** Never evicted: a source lives only as long as one certification. */
  const listings = new Map<TreeId, Promise<TreeListing>>()
  const targets = new Map<string, Bytes>()
  const list = (tree: TreeId): Promise<TreeListing> => {
    const known = listings.get(tree) ?? listTree(blobs, tree, targets)
    listings.set(tree, known)
    return known
  }
  return {
    list,
    hash: { algorithm: 'sha256', prefix: () => '' },
    async read(contents, bytesMax) {
      const found = new Map<string, Uint8Array>()
      await inParallel([...new Set(contents)], concurrency, async (content) => {
        const target = targets.get(content)
        const bytes =
          target === undefined ? await readBlob(blobs, content, bytesMax) : toPath(target)
        if (bytes !== undefined && bytes.length <= bytesMax) found.set(content, bytes)
      })
      return found
    },
    async extract(tree, folder, paths) {
      const { leaves } = await list(tree)
      const target: WorkspaceDirectory = {
        root: fromText(folder),
        files: nodeFiles,
        blobs,
        exclusions: createExclusions([]),
        cache: createStatCache(Date.now),
        now: Date.now,
      }
      await inParallel(paths, concurrency, async (path) => {
        const leaf = leaves.get(path)
        if (leaf?.type === 'file') await writeFile(target, path, leaf, undefined)
        else if (leaf?.type === 'link') {
          await nodeFiles.symlink(toPath(leaf.target), absolutePath(target, path))
        }
      })
    },
  }
}

async function listTree(
  blobs: Blobs,
  tree: TreeId,
  targets: Map<string, Bytes>,
): Promise<TreeListing> {
  const files = new Map<Bytes, SourceFile>()
  const folders = new Set<Bytes>()
  const leaves = new Map<Bytes, Leaf>()
  const queue: { readonly folder: Bytes; readonly tree: TreeId }[] = [{ folder: '', tree }]
  for (const next of queue) {
    for (const entry of await loadTree(blobs, next.tree)) {
      const path = joinBytes(next.folder, entry.name)
      if (entry.type === 'directory') {
        folders.add(path)
        queue.push({ folder: path, tree: entry.tree })
        continue
      }
      leaves.set(path, entry)
      files.set(path, toSourceFile(entry, targets))
    }
  }
  return { files, folders, others: new Map(), leaves }
}

function toSourceFile(entry: Leaf, targets: Map<string, Bytes>): SourceFile {
  if (entry.type === 'file') {
    return { kind: entry.executable ? 'executable' : 'file', content: entry.blob }
  }
  const content = createHash('sha256').update(toPath(entry.target)).digest('hex')
  targets.set(content, entry.target)
  return { kind: 'link', content }
}

async function readBlob(
  blobs: Blobs,
  content: string,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of blobs.stream(content as BlobId)) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
