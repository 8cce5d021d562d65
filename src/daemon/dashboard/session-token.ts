/**
 * Tokens for tabs of a browser. Each is derived from another token, so that no list of them is needed: it survives a
 * restart of the daemon, and ends when either the other token or the daemon's own is replaced.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const prefix = 'tab'

/** `digest`: of the token that it is derived from. */
export function makeSessionToken(daemonToken: string, digest: Buffer): string {
  const text = [prefix, randomBytes(16).toString('base64url'), digest.toString('base64url')].join(
    '.',
  )
  return `${text}.${sign(daemonToken, text).toString('base64url')}`
}

/** The digest of the token that it is derived from; undefined: it is not one of ours. */
export function readSessionToken(daemonToken: string, token: string): Buffer | undefined {
  const [first, nonce, digest, signature, ...rest] = token.split('.')
  if (first !== prefix || digest === undefined || signature === undefined) return undefined
  if (rest.length > 0) return undefined
  const expected = sign(daemonToken, `${prefix}.${nonce}.${digest}`)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return Buffer.from(digest, 'base64url')
}

const sign = (daemonToken: string, text: string): Buffer =>
  createHmac('sha256', daemonToken).update(`loopwright dashboard\n${text}`).digest()
