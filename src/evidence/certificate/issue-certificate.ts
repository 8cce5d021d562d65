/**
 * Signs a certificate, appends it to the chain, and stores it.
 *
 * 1. A draft that breaks the rules is not signed.
 * 2. When it resolves, the certificate survives a crash and a power loss.
 * 3. Concurrent processes build one chain without forks or gaps: a position is a file name that only one of
 *    them gets. A process that comes too late signs again, after the certificates of the others.
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

/** Each failed attempt means that another process issued a certificate. */
const attemptsMax = 1000

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
    throw new LoopError('bad-request', `This cannot be certified. ${broken} Correct it first.`)
  }
  const now = to.now ?? Date.now
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const key = await signingKey(to.folder, now())
    const last = await lastCertificate(to)
    const certificate = validate({
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
  const advice = 'Other processes are issuing too many certificates. Try again.'
  throw new LoopError('store-failed', `The certificate was not issued. ${advice}`)
}

/** Makes sure that what is signed can be read again. */
function validate(certificate: Certificate): Certificate {
  const parsed = certificateSchema.safeParse(certificate)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const what = `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'invalid'}`
  throw new LoopError('bad-request', `The certificate is invalid: ${what}. Correct it first.`)
}

function requireShort(rendered: RenderedCertificate): RenderedCertificate {
  if (rendered.bytes.length <= certificateBytesMax) return rendered
  const advice = 'Use fewer checks, or shorter commands.'
  throw new LoopError('bad-request', `The certificate is too long. ${advice}`)
}
