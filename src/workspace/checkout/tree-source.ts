/**
 * The interface to the storage of trees, for reading and extracting them: git, or blobs in the state folder.
 */

import type { TreeId } from '../../loop/index.ts'
import type { Bytes } from '../bytes.ts'

export interface SourceFile {
  readonly kind: 'file' | 'executable' | 'link'
  /** The hash of the bytes; for a symlink, of its target. */
  readonly content: string
}

/** The complete listing of a tree. */
export interface TreeFiles {
  readonly files: ReadonlyMap<Bytes, SourceFile>
  /** All parent folders of files, and empty folders. */
  readonly folders: ReadonlySet<Bytes>
  /** Nested repositories (submodules), of which a tree contains only the commit: empty folders. */
  readonly others: ReadonlyMap<Bytes, string>
}

export interface TreeSource {
  list(tree: TreeId): Promise<TreeFiles>
  /** Reads by the `content` of `list`. Files larger than `bytesMax` are left out. */
  read(contents: readonly string[], bytesMax: number): Promise<ReadonlyMap<string, Uint8Array>>
  /** How to compute the `content` of a file. */
  readonly hash: ContentHash
  /** Writes these files of a tree into a folder, in which they must not exist yet. */
  extract(tree: TreeId, folder: string, paths: readonly Bytes[]): Promise<void>
}

export interface ContentHash {
  readonly algorithm: 'sha1' | 'sha256'
  /** Hashed before the content, for a file of this size. */
  readonly prefix: (bytes: number) => string
}

/** All parent folders of these paths. */
export function collectFolders(paths: Iterable<Bytes>): Set<Bytes> {
  const folders = new Set<Bytes>()
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}
