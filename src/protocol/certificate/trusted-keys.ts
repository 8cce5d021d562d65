/**
 * Trusted keys as a file: `keys/trusted.json` in the state folder, the output of
 * `loopctl keys export`, and the argument of `--trusted`.
 */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { listOf, published, timestamp } from '../values.ts'

export const trustedKeysFormat = 'loopwright-trusted-keys'
export const trustedKeysVersion = 1
export const trustedKeysBytesMax: number = 1024 * 1024
/** Prefixed to the text that an old key signs when it hands over to a new one. */
export const endorsementDomain = 'loopwright-key 1\n'

export interface TrustedKeys {
  readonly format: typeof trustedKeysFormat
  readonly version: typeof trustedKeysVersion
  readonly keys: readonly TrustedKey[]
}

export interface TrustedKey {
  /** The SHA-256 of the public key's 32 bytes. */
  readonly id: string
  readonly publicKey: string
  /** For a human reader. */
  readonly name?: string
  readonly since?: string
  /** Later signatures do not count. */
  readonly until?: string
  readonly endorsedBy?: Endorsement
}

/** The previous key vouches for this one: a signature over the canonical JSON of `{ id, installation, publicKey }`. */
export interface Endorsement {
  readonly id: string
  readonly installation: string
  readonly signature: string
}

const digest = z.string().regex(/^[0-9a-f]{64}$/)

export const endorsementSchema: z.ZodType<Endorsement> = exactly<Endorsement>()(
  z.strictObject({
    id: digest,
    installation: digest,
    signature: z.string().regex(/^[0-9a-f]{128}$/),
  }),
)

export const trustedKeySchema: z.ZodType<TrustedKey> = exactly<TrustedKey>()(
  z.strictObject({
    id: digest,
    publicKey: digest,
    name: z.string().max(200).exactOptional(),
    since: timestamp.exactOptional(),
    until: timestamp.exactOptional(),
    endorsedBy: endorsementSchema.exactOptional(),
  }),
).register(published, { id: 'TrustedKey' })

export const trustedKeysSchema: z.ZodType<TrustedKeys> = exactly<TrustedKeys>()(
  z.strictObject({
    format: z.literal(trustedKeysFormat),
    version: z.literal(trustedKeysVersion),
    keys: listOf(trustedKeySchema, 1000),
  }),
)
