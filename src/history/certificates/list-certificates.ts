/** The certificates of this installation, the newest first; and one of them. */

import { newestFirst, openCertificate, readCertificate } from '../../evidence/certificate/index.ts'
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
  for await (const { id, certificate } of newestFirst({ folder })) {
    if (found.length >= limit) break
    found.push({ id, certificate })
  }
  return found
}

export interface CertificatesOptions {
  readonly limit: number
  /** Only those with a lower number. */
  readonly before?: number
  /** Only those of this run, which has none from before it was created. */
  readonly run?: { readonly id: string; readonly createdAtMs: number }
}

export interface CertificatesPage {
  readonly items: readonly ListedCertificate[]
  /** The number to go on before; absent: there are no more. */
  readonly next?: number
}

export async function pageCertificates(
  folder: string,
  { limit, before, run }: CertificatesOptions,
): Promise<CertificatesPage> {
  const items: ListedCertificate[] = []
  for await (const { id, certificate } of newestFirst({ folder }, before)) {
    const { what, issuedAt } = certificate
    if (run !== undefined && Date.parse(issuedAt) < run.createdAtMs) break
    if (run !== undefined && !(what.type === 'run' && what.run === run.id)) continue
    if (items.length < limit) items.push({ id, certificate })
    else return { items, next: items.at(-1)?.certificate.number ?? 0 }
  }
  return { items }
}

/** By its id, or a part of it from 8 digits on; never a file. */
export async function readSigned(id: string, folder: string): Promise<SignedCertificate> {
  const opened = openCertificate(await readCertificate(id, { folder }))
  if (opened.type === 'read') return opened.signed
  const advice = 'Restore it from a backup.'
  throw new LoopError(
    'store-damaged',
    `The certificate ${id} cannot be read: ${opened.why}. ${advice}`,
  )
}

/** As it says itself; whether it holds is for `verifyTarget` to say. */
export async function readTarget(target: string, folder: string): Promise<ListedCertificate> {
  const opened = openCertificate((await findCertificate(target, folder)).bytes)
  if (opened.type === 'read') return { id: opened.id, certificate: opened.signed.certificate }
  const advice = 'Restore it from a backup, or get it again from who issued it.'
  throw new LoopError('bad-request', `${target} is no certificate: ${opened.why}. ${advice}`)
}
