/** Converts certificates to the bytes of their file and back. Each has exactly one text form. */

import type { CertificateId } from '../../loop/index.ts'
import {
  type Certificate,
  canonicalJson,
  certificateBytesMax,
  certificateDomain,
  type SignedCertificate,
  signedCertificateSchema,
} from '../../protocol/index.ts'
import { isSigned, sha256, signText, toKeyId } from './ed25519.ts'
import type { SigningKey } from './own-keys.ts'

export interface RenderedCertificate {
  readonly id: CertificateId
  readonly bytes: Buffer
}

/** What the bytes alone tell. */
export type OpenedCertificate =
  | { readonly type: 'unreadable'; readonly why: string }
  | {
      readonly type: 'read'
      readonly id: CertificateId
      readonly signed: SignedCertificate
      /** It is in canonical form. */
      readonly isCanonical: boolean
      /** The embedded key signed exactly this text. */
      readonly isSigned: boolean
    }

export const toCertificateId = (certificate: Certificate): CertificateId =>
  sha256(canonicalJson(certificate)) as CertificateId

/** The digests of what is stored with it: outputs of checks, and lists of the files they read. */
export const listStoredDigests = ({ checks }: Certificate): ReadonlySet<string> =>
  new Set(
    checks.flatMap(({ output, reads }) => [
      output.sha256,
      ...(reads === undefined ? [] : [reads.digest]),
    ]),
  )

export function signCertificate(certificate: Certificate, key: SigningKey): RenderedCertificate {
  const text = canonicalJson(certificate)
  const signed: SignedCertificate = {
    certificate,
    signature: {
      algorithm: 'ed25519',
      keyId: key.id,
      publicKey: key.publicKey,
      value: signText(key.privateKey, certificateDomain(certificate.version), text),
    },
  }
  return { id: sha256(text) as CertificateId, bytes: render(signed) }
}

export function openCertificate(bytes: Uint8Array): OpenedCertificate {
  if (bytes.length > certificateBytesMax) return { type: 'unreadable', why: 'it is too long' }
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return { type: 'unreadable', why: 'it is not JSON' }
  }
  const parsed = signedCertificateSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.map(String).join('.') || 'the file'
    return { type: 'unreadable', why: `${where}: ${issue?.message ?? 'it has an unexpected form'}` }
  }
  const signed = parsed.data
  const { certificate, signature } = signed
  const text = canonicalJson(certificate)
  return {
    type: 'read',
    id: sha256(text) as CertificateId,
    signed,
    isCanonical: render(signed).equals(bytes),
    isSigned:
      signature.keyId === toKeyId(signature.publicKey) &&
      isSigned(signature.publicKey, {
        domain: certificateDomain(certificate.version),
        text,
        signature: signature.value,
      }),
  }
}

const render = (signed: SignedCertificate): Buffer => Buffer.from(`${canonicalJson(signed)}\n`)
