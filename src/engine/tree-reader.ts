/** Reads trees without checking them out: a port between the workspace and the code that judges its files. */

import type { TreeId } from '../loop/index.ts'

export interface TreeReader {
  /** Every file by its path, with `/` as separator. */
  list(tree: TreeId): Promise<ReadonlyMap<string, TreeFile>>
  /** Undefined: no such file, or it is longer than `bytesMax`. */
  read(tree: TreeId, path: string, bytesMax?: number): Promise<Uint8Array | undefined>
  /** A readable diff of these paths, cut off at `bytesMax`. */
  patch(before: TreeId, after: TreeId, paths: readonly string[], bytesMax?: number): Promise<string>
}

export interface TreeFile {
  /** Equal for equal content. */
  readonly content: string
  readonly kind: 'file' | 'executable' | 'link' | 'other'
}

/** The base of a run. */
export interface RunBaseFiles {
  readonly reader: TreeReader
  readonly tree: TreeId
}
