/**
 * What keeps trees, as those see it who read them or put them somewhere: git, or blobs of the record.
 */

import type { TreeId } from '../../loop/index.ts'
import type { Bytes } from '../bytes.ts'

export interface SourceFile {
  readonly kind: 'file' | 'executable' | 'link'
  /** The same for the same bytes; of a link, those of its target. */
  readonly content: string
}

/** All that a tree says. */
export interface TreeFiles {
  readonly files: ReadonlyMap<Bytes, SourceFile>
  /** Those that files are in, and those that are empty. */
  readonly folders: ReadonlySet<Bytes>
  /** Repositories in it, of which a tree has nothing but a name: folders with nothing in them. */
  readonly others: ReadonlyMap<Bytes, string>
}

export interface TreeSource {
  list(tree: TreeId): Promise<TreeFiles>
  /** By what `list` calls their content. Those that are longer than `bytesMax` are left out. */
  read(contents: readonly string[], bytesMax: number): Promise<ReadonlyMap<string, Uint8Array>>
  /** What `list` calls the content of a file with these bytes; `bytes` is how many there are. */
  readonly hash: ContentHash
  /** Puts these files of a tree into a folder, in which nothing is in their place. */
  put(tree: TreeId, folder: string, paths: readonly Bytes[]): Promise<void>
}

export interface ContentHash {
  readonly algorithm: 'sha1' | 'sha256'
  readonly prefix: (bytes: number) => string
}

/** Every folder on the way to these paths. */
export function foldersOf(paths: Iterable<Bytes>): Set<Bytes> {
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
