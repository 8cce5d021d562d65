/** Access to the directory of a workspace, for scanning and restoring. */

import type { BigIntStats } from 'node:fs'
import type { Blobs, Files } from '../engine/index.ts'
import { type Bytes, fromBuffer, toPath } from './bytes.ts'
import type { Exclusions } from './exclusions.ts'
import type { StatCache } from './stat-cache.ts'

/** A directory whose files are read. */
export interface Folder {
  readonly root: Bytes
  readonly files: Files
}

/** A directory whose files are also changed. */
export interface WritableFolder extends Folder {
  readonly exclusions: Exclusions
}

export interface WorkspaceDirectory extends WritableFolder {
  readonly blobs: Blobs
  readonly cache: StatCache
  readonly now: () => number
}

/** How many files are read or written concurrently. */
export const concurrency = 8

/** The absolute path of a path in the tree. The empty path is the root itself. */
export const absolutePath = (folder: Folder, path: Bytes): Buffer =>
  toPath(path === '' ? folder.root : `${folder.root}/${path}`)

/** Does not follow symlinks. Undefined if the path does not exist. */
export async function tryLstat(folder: Folder, path: Bytes): Promise<BigIntStats | undefined> {
  try {
    return await folder.files.lstat(absolutePath(folder, path), { bigint: true })
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

export async function listNames(folder: Folder, path: Bytes): Promise<readonly Bytes[]> {
  return (await folder.files.readdir(absolutePath(folder, path), 'buffer')).map(fromBuffer)
}

export async function readLinkTarget(folder: Folder, path: Bytes): Promise<Bytes> {
  return fromBuffer(await folder.files.readlink(absolutePath(folder, path), 'buffer'))
}

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
