/** A folder that is swept, and what is known of it. */

import { randomUUID } from 'node:crypto'
import { type BigIntStats, chmodSync, renameSync, unlinkSync } from 'node:fs'
import { type Bytes, fromText, toPath } from '../bytes.ts'
import type { ContentHash } from './tree-source.ts'

export interface SweptFolder {
  readonly root: Bytes
  /** On the same file system, and nobody else's. */
  readonly trash: string
  readonly hash: ContentHash
  /** See `trusts-times.ts`; without it every file is read every time. */
  readonly trustsTimes: boolean
  /** What was read, and looked so. */
  readonly known: Map<Bytes, Known>
}

export interface Known {
  readonly identity: string
  readonly content: string
}

export const at = ({ root }: Pick<SweptFolder, 'root'>, path: Bytes): Buffer =>
  toPath(path === '' ? root : `${root}/${path}`)

/** Afterwards there is nothing under this name. */
export function takeAway(
  place: Pick<SweptFolder, 'root' | 'trash'>,
  path: Bytes,
  seen: BigIntStats,
): void {
  if (!seen.isDirectory()) return unlinkSync(at(place, path))
  // A folder that may not be written cannot be moved elsewhere.
  if ((seen.mode & 0o700n) !== 0o700n) chmodSync(at(place, path), 0o700)
  renameSync(at(place, path), toPath(`${fromText(place.trash)}/${randomUUID()}`))
}
