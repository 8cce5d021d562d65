/**
 * Verifies a certificate with what is here: the keys that are trusted, the outputs of checks, the chain, and
 * the files that somebody names. It needs no network, no daemon and no journal, and writes nothing.
 */

import {
  findById,
  openCertificate,
  ownKeys,
  readTrustedKeys,
  trustedKeys,
  type Verification,
  type VerifyOptions,
  verifyCertificate,
} from '../../evidence/certificate/index.ts'
import { type FoundCertificate, findCertificate } from './find-certificate.ts'
import { digestOfFile, outputPath } from './kept-outputs.ts'
import { type LookAt, lookAtFiles } from './look-at-files.ts'

/** What `verifyTarget` verifies, and against which keys and files. */
export interface VerifyTarget {
  /** A file, a folder with one, an id, or a run. */
  readonly target: string
  /** The folder of the record; it need not be there. */
  readonly folder: string
  /** What is compared with the tree. */
  readonly look?: LookAt
  /** A file with the keys that count, instead of those of this installation. */
  readonly trusted?: string
}

/** Verifies a certificate offline. Writes nothing. */
export async function verifyTarget(request: VerifyTarget): Promise<Verification> {
  const { target, folder, look, trusted: file } = request
  const found = await findCertificate(target, folder)
  const trusted = file === undefined ? await trustedKeys(folder) : await readTrustedKeys(file)
  return verifyCertificate(found.bytes, {
    trusted,
    evidence: (sha256) => digestOfFile(outputPath(found, folder, sha256)),
    ...(look === undefined
      ? {}
      : { tree: (certificate, tree) => lookAtFiles(look, certificate, tree, folder) }),
    ...(await chainOf(found, folder)),
  })
}

/** Only this installation's own chain has to be here. */
async function chainOf(
  { bytes }: FoundCertificate,
  folder: string,
): Promise<Pick<VerifyOptions, 'previous'>> {
  const opened = openCertificate(bytes)
  if (opened.type !== 'read') return {}
  const own = await ownKeys(folder).catch(() => [])
  const { installation } = opened.signed.certificate
  return own.some((key) => key.installation === installation)
    ? { previous: (id) => findById(id, { folder }) }
    : {}
}
