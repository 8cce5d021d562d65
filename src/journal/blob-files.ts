/** File paths in a blob store: `root/ab/cdef…`, and `root/tmp` for content that is being written. */

import { join } from 'node:path'
import { type BlobId, LoopError } from '../loop/index.ts'

const idPattern = /^[0-9a-f]{64}$/
const folderPattern = /^[0-9a-f]{2}$/
const trashPrefix = 'trash-'

/** Ids come from journals, exports and people; only a complete hash may become a path. */
export const isBlobId = (id: string): id is BlobId => idPattern.test(id)

export const blobFolder = (root: string, blob: BlobId): string => join(root, blob.slice(0, 2))

export const blobPath = (root: string, blob: BlobId): string =>
  join(blobFolder(root, blob), blob.slice(2))

export const temporaryFolder = (root: string): string => join(root, 'tmp')

/** Where a sweep moves content before it removes it. */
export const trashPath = (root: string, blob: BlobId): string =>
  join(temporaryFolder(root), trashPrefix + blob)

export const isBlobFolder = (name: string): boolean => folderPattern.test(name)

/** The id of the content in a file of `root/tmp`, if a sweep moved it there. */
export function trashedBlob(name: string): BlobId | undefined {
  const id = name.slice(trashPrefix.length)
  return name.startsWith(trashPrefix) && isBlobId(id) ? id : undefined
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

export function storeFailed(what: string, path: string, cause: unknown): LoopError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const advice = 'Check the disk and the permissions of that folder, then resume.'
  return new LoopError('store-failed', `Could not ${what} ${path}: ${reason}. ${advice}`, { cause })
}
