/** A folder to sweep, and the known state of its files. */

import { randomUUID } from 'node:crypto'
import { type BigIntStats, chmodSync, renameSync, unlinkSync } from 'node:fs'
import { type Bytes, fromText, toPath } from '../bytes.ts'
import type { ContentHash } from './tree-source.ts'

export interface SweptFolder {
  readonly root: Bytes
  /** A private folder on the same file system. */
  readonly trash: string
  readonly hash: ContentHash
  /** If false, every file is read every time. */
  readonly hasReliableTimes: boolean
  /** The identity and content of files when they were last read. */
  readonly known: Map<Bytes, KnownFile>
}

export interface KnownFile {
  readonly identity: string
  readonly content: string
}

export const absolutePath = ({ root }: Pick<SweptFolder, 'root'>, path: Bytes): Buffer =>
  toPath(path === '' ? root : `${root}/${path}`)

/** Deletes a file, or moves a folder into the trash. */
export function discard(
  swept: Pick<SweptFolder, 'root' | 'trash'>,
  path: Bytes,
  seen: BigIntStats,
): void {
  if (!seen.isDirectory()) return unlinkSync(absolutePath(swept, path))
  // A read-only folder cannot be moved to another parent.
  if ((seen.mode & 0o700n) !== 0o700n) chmodSync(absolutePath(swept, path), 0o700)
  renameSync(absolutePath(swept, path), toPath(`${fromText(swept.trash)}/${randomUUID()}`))
}
