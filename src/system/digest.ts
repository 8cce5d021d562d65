/** SHA-256 digests of a file and of the set of files that a loop consists of. */

import { createHash } from 'node:crypto'

export interface FileDigest {
  /** Relative to the folder of the loop file, with `/` as the separator. */
  readonly path: string
  readonly sha256: string
}

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

/** The hash of the list of paths and digests, sorted by path. */
export function digestFiles(files: readonly FileDigest[]): string {
  const list = files.map(({ path, sha256: hash }) => [path, hash] as const)
  return sha256(JSON.stringify(list.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}
