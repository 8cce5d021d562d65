/**
 * Reads files of trees by path. Reads that are requested at the same time share one call of the source, and small
 * files are read once: content never changes under its id.
 */

import type { TreeId } from '../../loop/index.ts'
import { type Bytes, fromText, toDisplay } from '../bytes.ts'
import { findNonTextPaths } from './checkout-files.ts'
import type { TreeFiles, TreeSource } from './tree-source.ts'

export interface BatchedTreeReader {
  /** By display path: bytes that are not UTF-8 are written as `\xff`. */
  list(tree: TreeId): Promise<ReadonlyMap<string, ListedFile>>
  read(tree: TreeId, path: string, bytesMax?: number): Promise<Uint8Array | undefined>
}

export interface ListedFile {
  readonly content: string
  readonly kind: 'file' | 'executable' | 'link' | 'other'
}

const bytesMaxDefault = 4 * 1024 * 1024
const keptFileBytesMax = 1024 * 1024
/** When more is kept, everything is dropped. */
const keptBytesMax = 16 * 1024 * 1024

interface PendingRead {
  readonly content: string
  readonly bytesMax: number
  resolve(bytes: Uint8Array | undefined): void
  reject(error: unknown): void
}

export function createBatchedTreeReader(source: TreeSource): BatchedTreeReader {
  const listings = new Map<TreeId, Promise<DisplayListing>>()
  const kept = createKeptFiles()
  let pending: PendingRead[] = []
  const listTree = (tree: TreeId): Promise<DisplayListing> => {
    const known = listings.get(tree) ?? source.list(tree).then(toDisplayListing)
    listings.set(tree, known)
    known.catch(() => listings.delete(tree))
    return known
  }
  async function flush(): Promise<void> {
    const all = pending
    pending = []
    const bytesMax = Math.max(...all.map((one) => one.bytesMax))
    try {
      const found = await source.read(
        all.map(({ content }) => content),
        bytesMax,
      )
      for (const one of all) {
        const bytes = found.get(one.content)
        if (bytes !== undefined) kept.keep(one.content, bytes)
        one.resolve(bytes === undefined || bytes.length > one.bytesMax ? undefined : bytes)
      }
    } catch (error) {
      for (const one of all) one.reject(error)
    }
  }
  return {
    list: async (tree) => (await listTree(tree)).files,
    async read(tree, path, bytesMax = bytesMaxDefault) {
      const { bytes, nonText } = await listTree(tree)
      const file = bytes.files.get(nonText.get(path) ?? fromText(path))
      if (file === undefined) return undefined
      const known = kept.find(file.content)
      if (known !== undefined) return known.length > bytesMax ? undefined : known
      return new Promise((resolve, reject) => {
        pending.push({ content: file.content, bytesMax, resolve, reject })
        if (pending.length === 1) setImmediate(() => void flush())
      })
    },
  }
}

interface KeptFiles {
  /** A copy: what the caller does to it is not seen by others. */
  find(content: string): Uint8Array | undefined
  keep(content: string, bytes: Uint8Array): void
}

function createKeptFiles(): KeptFiles {
  const files = new Map<string, Uint8Array>()
  let total = 0
  return {
    find: (content) => files.get(content)?.slice(),
    keep(content, bytes) {
      if (bytes.length > keptFileBytesMax || files.has(content)) return
      if (total + bytes.length > keptBytesMax) {
        files.clear()
        total = 0
      }
      files.set(content, Uint8Array.from(bytes))
      total += bytes.length
    },
  }
}

interface DisplayListing {
  readonly files: ReadonlyMap<string, ListedFile>
  readonly bytes: TreeFiles
  readonly nonText: ReadonlyMap<string, Bytes>
}

function toDisplayListing(bytes: TreeFiles): DisplayListing {
  const files = new Map<string, ListedFile>()
  for (const [path, file] of bytes.files) files.set(toDisplayPath(path), file)
  for (const [path, content] of bytes.others) {
    files.set(toDisplayPath(path), { content, kind: 'other' })
  }
  return { files, bytes, nonText: findNonTextPaths(bytes) }
}

const toDisplayPath = (path: Bytes): string => (/^[ -~]*$/.test(path) ? path : toDisplay(path))
