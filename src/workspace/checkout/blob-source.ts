/** Trees of directories: blobs of the record. */

import { createHash } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import type { Blobs } from '../../engine/index.ts'
import type { BlobId, TreeId } from '../../loop/index.ts'
import { type Bytes, fromText, inside, toPath } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { inParallel } from '../in-parallel.ts'
import { at, type Place, width } from '../place.ts'
import { createStatCache } from '../stat-cache.ts'
import { type FileEntry, type LinkEntry, loadTree } from '../tree-object.ts'
import { writeFile } from '../write-file.ts'
import type { SourceFile, TreeFiles, TreeSource } from './tree-source.ts'

type Leaf = FileEntry | LinkEntry

interface Listed extends TreeFiles {
  readonly leaves: ReadonlyMap<Bytes, Leaf>
}

export function createBlobSource(blobs: Blobs): TreeSource {
  /** Small enough to be kept: a source lives as long as one certification. */
  const listed = new Map<TreeId, Promise<Listed>>()
  const targets = new Map<string, Bytes>()
  const list = (tree: TreeId): Promise<Listed> => {
    const known = listed.get(tree) ?? listTree(blobs, tree, targets)
    listed.set(tree, known)
    return known
  }
  return {
    list,
    hash: { algorithm: 'sha256', prefix: () => '' },
    async read(contents, bytesMax) {
      const found = new Map<string, Uint8Array>()
      await inParallel([...new Set(contents)], width, async (content) => {
        const target = targets.get(content)
        const bytes =
          target === undefined ? await readBlob(blobs, content, bytesMax) : toPath(target)
        if (bytes !== undefined && bytes.length <= bytesMax) found.set(content, bytes)
      })
      return found
    },
    async put(tree, folder, paths) {
      const { leaves } = await list(tree)
      const place: Place = {
        root: fromText(folder),
        files: nodeFiles,
        blobs,
        exclusions: createExclusions([]),
        cache: createStatCache(Date.now),
        now: Date.now,
      }
      await inParallel(paths, width, async (path) => {
        const leaf = leaves.get(path)
        if (leaf?.type === 'file') await writeFile(place, path, leaf, undefined)
        else if (leaf?.type === 'link') {
          await nodeFiles.symlink(toPath(leaf.target), at(place, path))
        }
      })
    },
  }
}

async function listTree(blobs: Blobs, tree: TreeId, targets: Map<string, Bytes>): Promise<Listed> {
  const files = new Map<Bytes, SourceFile>()
  const folders = new Set<Bytes>()
  const leaves = new Map<Bytes, Leaf>()
  const queue: { readonly folder: Bytes; readonly tree: TreeId }[] = [{ folder: '', tree }]
  for (const next of queue) {
    for (const entry of await loadTree(blobs, next.tree)) {
      const path = inside(next.folder, entry.name)
      if (entry.type === 'directory') {
        folders.add(path)
        queue.push({ folder: path, tree: entry.tree })
        continue
      }
      leaves.set(path, entry)
      files.set(path, fileOf(entry, targets))
    }
  }
  return { files, folders, others: new Map(), leaves }
}

function fileOf(entry: Leaf, targets: Map<string, Bytes>): SourceFile {
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
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of blobs.stream(content as BlobId)) {
    bytes += piece.length
    if (bytes > bytesMax) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
