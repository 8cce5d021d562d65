/**
 * Removes unreferenced content, while other processes may be putting the same content.
 *
 * A put of existing content refreshes its time. So a file is first renamed, which makes that refresh
 * fail and the put write it again. Then its time is read again: if a refresh came just before the
 * rename, the file is moved back. In between, readers look in both locations; after a kill in between,
 * the next sweep decides again.
 */

import { join } from 'node:path'
import type { Files, Keep, SweepOptions, Swept } from '../engine/index.ts'
import type { BlobId } from '../loop/index.ts'
import {
  blobPath,
  isBlobFolder,
  isBlobId,
  isMissing,
  storeFailed,
  temporaryFolder,
  trashedBlob,
  trashPath,
} from './blob-files.ts'

interface Sweep {
  readonly files: Files
  readonly root: string
  readonly keeps: (blob: BlobId) => boolean
  readonly isYoung: (mtimeMs: number) => boolean
}

export async function sweepBlobs(
  files: Files,
  root: string,
  keep: Keep,
  { olderThanMs, now }: SweepOptions,
): Promise<Swept> {
  const keeps = typeof keep === 'function' ? keep : (blob: BlobId) => keep.has(blob)
  const isYoung = (mtimeMs: number) => mtimeMs > now - olderThanMs
  const sweep: Sweep = { files, root, keeps, isYoung }
  try {
    await sweepTemporary(sweep)
    return await sweepFolders(sweep)
  } catch (error) {
    throw storeFailed('sweep', root, error)
  }
}

async function sweepFolders(sweep: Sweep): Promise<Swept> {
  let removed = 0
  let bytes = 0
  for (const folder of (await list(sweep, sweep.root)).filter(isBlobFolder)) {
    for (const name of await list(sweep, join(sweep.root, folder))) {
      const blob = folder + name
      if (!isBlobId(blob) || sweep.keeps(blob)) continue
      const size = await sweepBlob(sweep, blob)
      if (size === undefined) continue
      removed += 1
      bytes += size
    }
  }
  return { removed, bytes }
}

/** Returns its size, if it was removed. */
async function sweepBlob(sweep: Sweep, blob: BlobId): Promise<number | undefined> {
  const path = blobPath(sweep.root, blob)
  const trash = trashPath(sweep.root, blob)
  return ifPresent(async () => {
    if (sweep.isYoung((await sweep.files.lstat(path)).mtimeMs)) return undefined
    await sweep.files.mkdir(temporaryFolder(sweep.root), { recursive: true, mode: 0o700 })
    await sweep.files.rename(path, trash)
    return await emptyTrash(sweep, blob)
  })
}

async function emptyTrash(sweep: Sweep, blob: BlobId): Promise<number | undefined> {
  const trash = trashPath(sweep.root, blob)
  const { mtimeMs, size } = await sweep.files.lstat(trash)
  if (sweep.keeps(blob) || sweep.isYoung(mtimeMs)) {
    await sweep.files.rename(trash, blobPath(sweep.root, blob))
    return undefined
  }
  await sweep.files.unlink(trash)
  return size
}

async function sweepTemporary(sweep: Sweep): Promise<void> {
  const folder = temporaryFolder(sweep.root)
  for (const name of await list(sweep, folder)) {
    const blob = trashedBlob(name)
    await ifPresent(async () => {
      if (blob !== undefined) await emptyTrash(sweep, blob)
      else if (!sweep.isYoung((await sweep.files.lstat(join(folder, name))).mtimeMs)) {
        await sweep.files.unlink(join(folder, name))
      }
    })
  }
}

async function list(sweep: Sweep, folder: string): Promise<readonly string[]> {
  return (await ifPresent(() => sweep.files.readdir(folder))) ?? []
}

/** Another sweep may run at the same time: a missing file is not an error. */
async function ifPresent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
