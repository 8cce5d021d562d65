/** A workspace's directory, as scanning and restoring see it. */

import type { BigIntStats } from 'node:fs'
import type { Blobs, Files } from '../engine/index.ts'
import { type Bytes, fromBuffer, toPath } from './bytes.ts'
import type { Exclusions } from './exclusions.ts'
import type { StatCache } from './stat-cache.ts'

/** A directory whose files are looked at. */
export interface Folder {
  readonly root: Bytes
  readonly files: Files
}

/** One that is also changed. */
export interface OwnFolder extends Folder {
  readonly exclusions: Exclusions
}

export interface Place extends OwnFolder {
  readonly blobs: Blobs
  readonly cache: StatCache
  readonly now: () => number
}

/** How many files are read or written at once. */
export const width = 8

/** Where a path of the tree is. The empty one is the root itself. */
export const at = (place: Folder, path: Bytes): Buffer =>
  toPath(path === '' ? place.root : `${place.root}/${path}`)

/** Of the link itself, if it is one. Undefined when there is nothing. */
export async function look(place: Folder, path: Bytes): Promise<BigIntStats | undefined> {
  try {
    return await place.files.lstat(at(place, path), { bigint: true })
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

export async function namesIn(place: Folder, path: Bytes): Promise<readonly Bytes[]> {
  return (await place.files.readdir(at(place, path), 'buffer')).map(fromBuffer)
}

export async function linkTarget(place: Folder, path: Bytes): Promise<Bytes> {
  return fromBuffer(await place.files.readlink(at(place, path), 'buffer'))
}

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
