/** Lists the certificates of this installation, newest first, and reads one of them. */

import {
  listNewestFirst,
  openCertificate,
  readCertificate,
} from '../../evidence/certificate/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { Certificate, SignedCertificate } from '../../protocol/index.ts'
import { findCertificate } from './find-certificate.ts'

export interface ListedCertificate {
  readonly id: string
  readonly certificate: Certificate
}

export async function listCertificates(
  folder: string,
  limit: number,
): Promise<readonly ListedCertificate[]> {
  const found: ListedCertificate[] = []
  for await (const { id, certificate } of listNewestFirst({ folder })) {
    if (found.length >= limit) break
    found.push({ id, certificate })
  }
  return found
}

export interface CertificatesOptions {
  readonly limit: number
  /** Only those with a lower number. */
  readonly before?: number
  /** Only those of this run; it has none from before its creation. */
  readonly run?: { readonly id: string; readonly createdAtMs: number }
}

export interface CertificatesPage {
  readonly items: readonly ListedCertificate[]
  /** The value of `before` for the next page; absent: this is the last one. */
  readonly next?: number
}

export async function pageCertificates(
  folder: string,
  { limit, before, run }: CertificatesOptions,
): Promise<CertificatesPage> {
  const items: ListedCertificate[] = []
  for await (const { id, certificate } of listNewestFirst({ folder }, before)) {
    const { what, issuedAt } = certificate
    if (run !== undefined && Date.parse(issuedAt) < run.createdAtMs) break
    if (run !== undefined && !(what.type === 'run' && what.run === run.id)) continue
    if (items.length < limit) items.push({ id, certificate })
    else return { items, next: items.at(-1)?.certificate.number ?? 0 }
  }
  return { items }
}

/** By its id or at least its first 8 digits; never by a file. */
export async function readSigned(id: string, folder: string): Promise<SignedCertificate> {
  const opened = openCertificate(await readCertificate(id, { folder }))
  if (opened.type === 'read') return opened.signed
  const advice = 'Restore it from a backup.'
  throw new LoopError(
    'store-damaged',
    `Cannot read the certificate ${id}: ${opened.why}. ${advice}`,
  )
}

/** Reads it without verifying it; see `verifyTarget`. */
export async function readTarget(target: string, folder: string): Promise<ListedCertificate> {
  const opened = openCertificate((await findCertificate(target, folder)).bytes)
  if (opened.type === 'read') return { id: opened.id, certificate: opened.signed.certificate }
  const advice = 'Restore it from a backup, or get it again from its issuer.'
  throw new LoopError('bad-request', `${target} is not a certificate: ${opened.why}. ${advice}`)
}
