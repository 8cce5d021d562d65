/** The outputs of checks by digest: in the state folder, or next to an exported certificate. */

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { createBlobStore } from '../../journal/index.ts'
import type { BlobId } from '../../loop/index.ts'
import type { FoundCertificate } from './find-certificate.ts'

export interface OutputDigest {
  readonly sha256: string
  readonly bytes: number
}

export const blobsFolder = (folder: string): string => join(folder, 'blobs')

/** The path of the output with this digest, which may not exist. */
export function outputPath(
  { evidence }: Pick<FoundCertificate, 'evidence'>,
  folder: string,
  sha256: string,
): string {
  if (evidence.type === 'folder') return join(evidence.path, sha256)
  return createBlobStore({ root: blobsFolder(folder) }).path(sha256 as BlobId)
}

/** Reads and hashes the file. Undefined: it does not exist. */
export async function hashFile(path: string): Promise<OutputDigest | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    return (await file.stat()).isFile() ? await hashContent(file) : undefined
  } finally {
    await file.close()
  }
}

async function hashContent(file: FileHandle): Promise<OutputDigest> {
  const hash = createHash('sha256')
  let bytes = 0
  const chunks: AsyncIterable<Buffer> = file.createReadStream({ autoClose: false })
  for await (const chunk of chunks) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { sha256: hash.digest('hex'), bytes }
}
