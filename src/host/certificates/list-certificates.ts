/** The certificates of this installation, the newest first; and one of them. */

import { newestFirst, openCertificate } from '../../evidence/certificate/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { Certificate } from '../../protocol/index.ts'
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

/** As it says itself; whether it holds is for `verifyTarget` to say. */
export async function readTarget(target: string, folder: string): Promise<ListedCertificate> {
  const opened = openCertificate((await findCertificate(target, folder)).bytes)
  if (opened.type === 'read') return { id: opened.id, certificate: opened.signed.certificate }
  const advice = 'Restore it from a backup, or get it again from who issued it.'
  throw new LoopError('bad-request', `${target} is no certificate: ${opened.why}. ${advice}`)
}
