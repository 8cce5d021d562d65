/**
 * Verifies a certificate offline: with the trusted keys, the outputs of checks, the chain, and optionally some
 * files. Needs no network, no daemon and no journal, and writes nothing.
 */

import {
  findStoredCertificate,
  openCertificate,
  ownKeys,
  readTrustedKeys,
  trustedKeys,
  type Verification,
  type VerifyOptions,
  verifyCertificate,
} from '../../evidence/certificate/index.ts'
import { type ComparisonTarget, compareFiles } from './compare-files.ts'
import { type FoundCertificate, findCertificate } from './find-certificate.ts'
import { hashFile, outputPath } from './stored-outputs.ts'

/** What `verifyTarget` verifies, and against which keys and files. */
export interface VerifyTarget {
  /** A file, a folder with one, an id, or a run. */
  readonly target: string
  /** The state folder, which need not exist. */
  readonly folder: string
  /** What to compare with the tree. */
  readonly look?: ComparisonTarget
  /** A file with trusted keys, instead of those of this installation. */
  readonly trusted?: string
}

/** Verifies a certificate offline. Writes nothing. */
export async function verifyTarget(request: VerifyTarget): Promise<Verification> {
  const { target, folder, look, trusted: file } = request
  const found = await findCertificate(target, folder)
  const trusted = file === undefined ? await trustedKeys(folder) : await readTrustedKeys(file)
  return verifyCertificate(found.bytes, {
    trusted,
    evidence: (sha256) => hashFile(outputPath(found, folder, sha256)),
    ...(look === undefined
      ? {}
      : { tree: (certificate, tree) => compareFiles(look, certificate, tree, folder) }),
    ...(await createChainOptions(found, folder)),
  })
}

/** Only the chain of this installation must be available. */
async function createChainOptions(
  { bytes }: FoundCertificate,
  folder: string,
): Promise<Pick<VerifyOptions, 'previous'>> {
  const opened = openCertificate(bytes)
  if (opened.type !== 'read') return {}
  const own = await ownKeys(folder).catch(() => [])
  const { installation } = opened.signed.certificate
  return own.some((key) => key.installation === installation)
    ? { previous: (id) => findStoredCertificate(id, { folder }) }
    : {}
}
