/** What the commands for certificates and keys print. */

import { z } from 'zod'
import { certificateEntrySchema } from '../api/artifacts.ts'
import { certificateSchema } from '../certificate/certificate-schema.ts'
import { trustedKeySchema, trustedKeysSchema } from '../certificate/trusted-keys.ts'
import { count, ordinal } from '../values.ts'
import { type CommandOutput, lines, one, text, texts } from './command-output.ts'

const certifiedFiles = {
  folder: text,
  tree: text,
  commit: text.exactOptional(),
  checks: texts,
  /** In milliseconds. `sandbox`, `dependencies` and `checkout` are set-up. */
  tookMs: z.strictObject({
    sandbox: count,
    dependencies: count,
    checkout: count,
    checks: count,
    total: count,
  }),
}

const finding = z.strictObject({
  look: z.enum(['format', 'bytes', 'signature', 'key', 'rules', 'tree', 'evidence', 'chain']),
  status: z.enum(['ok', 'failed', 'untrusted', 'not-looked-at']),
  message: text,
  advice: text.exactOptional(),
  paths: texts.exactOptional(),
})

const keyRole = z.looseObject({ id: text, role: z.enum(['signing', 'retired', 'trusted']) })

const listedKeys = lines('Each key, and its role.', keyRole)

export const certificateOutputs: Readonly<Record<string, CommandOutput>> = {
  certify: one(
    'The certificate, or why it was refused.',
    z.discriminatedUnion('certified', [
      z.strictObject({ ...certifiedFiles, certified: z.literal(true), certificate: text }),
      z.strictObject({
        ...certifiedFiles,
        certified: z.literal(false),
        refusals: z.array(z.looseObject({ code: text, message: text })),
      }),
    ]),
  ),
  verify: one(
    'Whether a certificate is valid, and what was verified.',
    z.strictObject({
      verdict: z.enum(['valid', 'invalid', 'untrusted', 'differs']),
      findings: z.array(finding),
      id: text.exactOptional(),
      certificate: certificateSchema.exactOptional(),
    }),
  ),
  certificate: lines(
    'Each certificate, or the given one; with --out, where it was written.',
    z.union([
      certificateEntrySchema,
      z.strictObject({ folder: text, outputs: count, missing: texts, id: text.exactOptional() }),
    ]),
  ),
  keys: listedKeys,
  'keys list': listedKeys,
  'keys rotate': one('The new key.', z.strictObject({ id: text, number: ordinal })),
  'keys trust': one(
    'The keys that are now trusted.',
    z.strictObject({ added: z.array(trustedKeySchema), endorsed: texts }),
  ),
  'keys untrust': one('The key that is no longer trusted.', trustedKeySchema),
  'keys export': one(
    'The public keys of this installation, as a trusted-keys file.',
    trustedKeysSchema,
  ),
}
