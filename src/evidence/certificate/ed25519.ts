/**
 * Signatures, as `node:crypto` makes them. A public key is its 32 bytes in hex, and its id is the SHA-256 of
 * those bytes. What is signed begins with a domain, so that no signature of ours means two things.
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

/** What stands before the 32 bytes in the usual encoding (RFC 8410). */
const spki = Buffer.from('302a300506032b6570032100', 'hex')

export interface KeyPair {
  readonly publicKey: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
}

export function makeKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    publicKey: publicKeyOf(privateKey),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

export const keyIdOf = (publicKey: string): string => sha256(Buffer.from(publicKey, 'hex'))

/** Throws for what is no private key of this kind. */
export function publicKeyOf(privateKey: string | KeyObject): string {
  const key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey
  const bytes = createPublicKey(key).export({ type: 'spki', format: 'der' })
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('It is not an Ed25519 key.')
  return bytes.subarray(spki.length).toString('hex')
}

export const signText = (privateKey: string, domain: string, text: string): string =>
  sign(null, Buffer.from(domain + text), createPrivateKey(privateKey)).toString('hex')

/** False for whatever is no key, too. */
export function isSigned(
  publicKey: string,
  { domain, text, signature }: { domain: string; text: string; signature: string },
): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([spki, Buffer.from(publicKey, 'hex')]),
      format: 'der',
      type: 'spki',
    })
    return verify(null, Buffer.from(domain + text), key, Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}
