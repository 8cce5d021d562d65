/**
 * Finds a certificate by a file, a folder that it was exported to, an id, or a run. Never opens the
 * journal.
 */

import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  findStoredCertificate,
  listRunCertificates,
  readRegularFile,
} from '../../evidence/certificate/index.ts'
import { LoopError } from '../../loop/index.ts'
import { certificateBytesMax } from '../../protocol/index.ts'

export interface FoundCertificate {
  readonly bytes: Buffer
  /** The file that was passed; absent: it is in the state folder. */
  readonly file?: string
  /** Where the outputs of checks are, by digest. */
  readonly evidence:
    | { readonly type: 'folder'; readonly path: string }
    | { readonly type: 'record' }
}

export const certificateFile = 'certificate.json'
export const evidenceFolder = 'evidence'

export async function findCertificate(target: string, folder: string): Promise<FoundCertificate> {
  const file = await findFile(target)
  if (file !== undefined) {
    const bytes = await readRegularFile(file, certificateBytesMax)
    if (bytes !== undefined) {
      const path = join(dirname(file), evidenceFolder)
      return { bytes, file, evidence: { type: 'folder', path } }
    }
  }
  const evidence = { type: 'record' } as const
  const bytes = await findStoredCertificate(target, { folder })
  if (bytes !== undefined) return { bytes, evidence }
  for await (const found of listRunCertificates(target, { folder })) {
    return { bytes: found.bytes, evidence }
  }
  const advice =
    'Pass a file, an id, or a run that completed. List all certificates with: loopctl certificate'
  throw new LoopError('unknown-file', `There is no certificate ${target}. ${advice}`)
}

/** Follows links, because the user passed the path. */
async function findFile(target: string): Promise<string | undefined> {
  const path = resolve(target)
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() === true) return path
  const inside = join(path, certificateFile)
  const isFolder = found?.isDirectory() === true
  return isFolder && (await stat(inside).catch(() => undefined))?.isFile() === true
    ? inside
    : undefined
}
