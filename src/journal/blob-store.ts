/**
 * Content by its SHA-256, in files. Several processes may use one root.
 *
 * 1. A put that resolved survives kill -9 and power loss: content synced, then renamed into place,
 *    then its folder synced. One that failed leaves nothing, or a file in `tmp` for a sweep.
 * 2. A file has its complete content or does not exist; content is hashed and compared when it is read.
 * 3. Memory use does not grow with the size of content.
 * 4. Content that was put, for the first time or again, is not swept during the grace time.
 *
 * Files are 0600 and folders 0700.
 */

import * as nodeFiles from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BlobStore, Files } from '../engine/index.ts'
import { blobPath } from './blob-files.ts'
import { getBlob, streamBlob } from './blob-get.ts'
import { putBlob } from './blob-put.ts'
import { sweepBlobs } from './blob-sweep.ts'
import { createDurableFolders } from './durable-folders.ts'

export interface BlobStoreOptions {
  readonly root: string
  readonly files?: Files
}

/** Bytes that are put must not change until the promise resolves. */
export function createBlobStore(options: BlobStoreOptions): BlobStore {
  const root = resolve(options.root)
  const files = options.files ?? nodeFiles
  const place = { root, files, folders: createDurableFolders(files) }
  return {
    put: (content) => putBlob(place, content),
    get: (blob) => getBlob(files, root, blob),
    stream: (blob) => streamBlob(files, root, blob),
    path: (blob) => blobPath(root, blob),
    sweep: (keep, sweepOptions) => sweepBlobs(files, root, keep, sweepOptions),
  }
}
