/**
 * Signs a certificate, gives it its place in the chain, and keeps it.
 *
 * 1. What breaks the rules is not signed.
 * 2. When it resolves, the certificate survives a kill and a power loss.
 * 3. Several processes make one chain, without a fork and without a gap: a place in it is a name that one
 *    of them gets. Whoever comes too late signs again, behind what came before.
 */

import { type CertificateId, LoopError } from '../../loop/index.ts'
import {
  type Certificate,
  type CertificateDraft,
  certificateBytesMax,
  certificateFormat,
  certificateSchema,
  certificateVersion,
} from '../../protocol/index.ts'
import { type RenderedCertificate, signCertificate } from './certificate-file.ts'
import { brokenRules } from './certificate-rules.ts'
import { type CertificateStore, lastCertificate, storeCertificate } from './certificate-store.ts'
import { signingKey } from './own-keys.ts'

/** Each try that fails is a certificate of somebody else. */
const triesMax = 1000

export interface IssuedCertificate {
  readonly id: CertificateId
  readonly certificate: Certificate
}

export async function issueCertificate(
  draft: CertificateDraft,
  to: CertificateStore,
): Promise<IssuedCertificate> {
  const [broken] = brokenRules(draft)
  if (broken !== undefined) {
    throw new LoopError('bad-request', `This is not certified. ${broken} Make it so first.`)
  }
  const now = to.now ?? Date.now
  for (let tries = 0; tries < triesMax; tries += 1) {
    const key = await signingKey(to.folder, now())
    const last = await lastCertificate(to)
    const certificate = checked({
      format: certificateFormat,
      version: certificateVersion,
      ...draft,
      issuedAt: new Date(now()).toISOString(),
      installation: key.installation,
      number: (last?.certificate.number ?? 0) + 1,
      previous: last?.id ?? null,
    })
    const rendered = requireShort(signCertificate(certificate, key))
    if (await storeCertificate(to, certificate.number, rendered))
      return { id: rendered.id, certificate }
  }
  const advice = 'Too many others issue certificates at this moment: try again.'
  throw new LoopError('store-failed', `No certificate was issued. ${advice}`)
}

/** What is signed can be read again. */
function checked(certificate: Certificate): Certificate {
  const parsed = certificateSchema.safeParse(certificate)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const what = `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'wrong'}`
  throw new LoopError('bad-request', `A certificate cannot say this: ${what}. Correct it first.`)
}

function requireShort(rendered: RenderedCertificate): RenderedCertificate {
  if (rendered.bytes.length <= certificateBytesMax) return rendered
  const advice = 'Certify with fewer checks, or shorter commands.'
  throw new LoopError('bad-request', `The certificate is too long. ${advice}`)
}
