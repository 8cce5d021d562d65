/** Trees, read without being put anywhere: a port between the workspace and those who judge its files. */

import type { TreeId } from '../loop/index.ts'

export interface TreeReader {
  /** Every file by its path, with `/` between the parts. */
  list(tree: TreeId): Promise<ReadonlyMap<string, TreeFile>>
  /** Undefined: no such file, or it is longer than `bytesMax`. */
  read(tree: TreeId, path: string, bytesMax?: number): Promise<Uint8Array | undefined>
  /** For people: what differs in these paths, cut off at `bytesMax`. */
  patch(before: TreeId, after: TreeId, paths: readonly string[], bytesMax?: number): Promise<string>
}

export interface TreeFile {
  /** The same for the same content. */
  readonly content: string
  readonly kind: 'file' | 'executable' | 'link' | 'other'
}

/** The files that a run began with. */
export interface BegunFiles {
  readonly reader: TreeReader
  readonly tree: TreeId
}
