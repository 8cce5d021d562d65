/**
 * Ed25519 signatures by `node:crypto`. A public key is its 32 bytes in hex, and its id is the SHA-256 of those
 * bytes. Signed text is prefixed with a domain, so that no signature can mean two things.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/** The DER prefix of a public key (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

export interface KeyPair {
  readonly publicKey: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
}

export function createKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    publicKey: toPublicKey(privateKey),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

export const toKeyId = (publicKey: string): string => sha256(Buffer.from(publicKey, 'hex'))

/** Throws if it is not an Ed25519 private key. */
export function toPublicKey(privateKey: string | KeyObject): string {
  const key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey
  const bytes = createPublicKey(key).export({ type: 'spki', format: 'der' })
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('It is not an Ed25519 key.')
  return bytes.subarray(spkiPrefix.length).toString('hex')
}

export const signText = (privateKey: string, domain: string, text: string): string =>
  sign(null, Buffer.from(domain + text), createPrivateKey(privateKey)).toString('hex')

/** Also false if the key is invalid. */
export function isSigned(
  publicKey: string,
  { domain, text, signature }: { domain: string; text: string; signature: string },
): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([spkiPrefix, Buffer.from(publicKey, 'hex')]),
      format: 'der',
      type: 'spki',
    })
    return verify(null, Buffer.from(domain + text), key, Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}
