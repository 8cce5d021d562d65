/** The schema of a certificate, and of a file that contains one with its signature. */

import { z } from 'zod'
import { type CertificateId, checkKinds, type RunId, type TreeId } from '../../loop/index.ts'
import { agentUsedSchema, sandboxUsedSchema, sourceSchema } from '../events/event-parts.ts'
import { exactly } from '../exactly.ts'
import { amountSchema, limitsSchema } from '../run-values.ts'
import { count, id, listOf, milliseconds, ordinal, published, timestamp } from '../values.ts'
import {
  type Certificate,
  type Certified,
  type CertifiedCheck,
  type Consultation,
  certificateFormat,
  type SealedPart,
  type SignedCertificate,
} from './certificate.ts'
import { readFilesSchema, strengthShape } from './certificate-strength.ts'

const text = z.string().max(100_000)
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const status = z.enum(['met', 'not-met', 'error', 'timeout', 'skipped'])
const listMax = 10_000

const certifiedSchema = exactly<Certified>()(
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('run'),
      run: id<RunId>(),
      name: text,
      loop: text,
      source: sourceSchema.exactOptional(),
      codeDigest: text,
      iteration: count,
      condition: text,
    }),
    z.strictObject({
      type: z.literal('tree'),
      name: text,
      source: sourceSchema.exactOptional(),
    }),
  ]),
)

const errorRate = z.strictObject({ count, of: count, low: z.number(), high: z.number() })

const checkSchema = exactly<CertifiedCheck>()(
  z.strictObject({
    name: text.min(1),
    kind: z.enum(checkKinds),
    pass: z.enum(['own', 'sealed']),
    command: listOf(text, listMax),
    toolDigest: text,
    status,
    exitCode: z.int().exactOptional(),
    output: z.strictObject({ sha256: digest, bytes: count }),
    counts: z.strictObject({ passed: count, failed: count, skipped: count }).exactOptional(),
    startedAt: timestamp,
    endedAt: timestamp,
    flaky: listOf(status, listMax).exactOptional(),
    existing: z.literal(true).exactOptional(),
    allowed: z.literal(true).exactOptional(),
    calibration: z
      .strictObject({ falseAccepts: errorRate, falseRejects: errorRate, ref: text })
      .exactOptional(),
    reads: readFilesSchema.exactOptional(),
  }),
).register(published, { id: 'CertifiedCheck' })

const sealedSchema = exactly<SealedPart>()(
  z.strictObject({
    changes: listOf(
      z.strictObject({ path: text, what: text, keys: listOf(text, listMax).exactOptional() }),
      listMax,
    ),
    approval: z.strictObject({ by: text, at: timestamp, digest }).exactOptional(),
  }),
)

const consultationSchema = exactly<Consultation>()(
  z.strictObject({
    name: text,
    status: z.enum(['pending', 'approved', 'concerns-raised', 'rejected', 'resolved', 'no-answer']),
    agent: text,
    at: timestamp,
    summary: text.exactOptional(),
  }),
)

const baseSchema = z.strictObject({
  tree: id<TreeId>().exactOptional(),
  commit: text.exactOptional(),
})

export const certificateSchema: z.ZodType<Certificate> = exactly<Certificate>()(
  z
    .strictObject({
      format: z.literal(certificateFormat),
      version: z.literal([1, 2]),
      what: certifiedSchema,
      tree: id<TreeId>().exactOptional(),
      commit: text.exactOptional(),
      apart: listOf(text, listMax).exactOptional(),
      base: baseSchema.exactOptional(),
      rests: z.strictObject({ checks: listOf(text, listMax), code: text.exactOptional() }),
      checks: listOf(checkSchema, listMax),
      sealed: sealedSchema,
      approvals: listOf(
        z.strictObject({ codes: listOf(text, listMax), by: text, at: timestamp, digest }),
        listMax,
      ),
      consultations: listOf(consultationSchema, listMax),
      teeth: z.strictObject({ planted: count, noticed: count }).exactOptional(),
      layer: z
        .strictObject({
          from: z.enum(['installed', 'carried', 'none']),
          digest: text,
          summary: text,
          lockfile: z.literal('unapproved').exactOptional(),
          resolved: z.strictObject({ at: timestamp, digest }).exactOptional(),
          approved: listOf(text, listMax).exactOptional(),
        })
        .exactOptional(),
      sandbox: sandboxUsedSchema.exactOptional(),
      policy: z.strictObject({
        decision: z.enum(['none', 'allow']),
        set: text,
        rules: z.array(text).readonly().exactOptional(),
      }),
      budget: z
        .strictObject({ spent: amountSchema, limits: limitsSchema, activeMs: milliseconds })
        .exactOptional(),
      agent: agentUsedSchema.exactOptional(),
      model: text.exactOptional(),
      issuedAt: timestamp,
      installation: digest,
      number: ordinal,
      previous: z.union([digest.refine((value): value is CertificateId => value !== ''), z.null()]),
      ...strengthShape,
    })
    .refine(
      ({ version, ...parts }) =>
        version !== 1 || !Object.keys(strengthShape).some((part) => part in parts),
      'A version 1 certificate cannot have parts of version 2.',
    ),
).register(published, { id: 'Certificate' })

export const signedCertificateSchema: z.ZodType<SignedCertificate> = exactly<SignedCertificate>()(
  z.strictObject({
    certificate: certificateSchema,
    signature: z.strictObject({
      algorithm: z.literal('ed25519'),
      keyId: digest,
      publicKey: digest,
      value: z.string().regex(/^[0-9a-f]{128}$/),
    }),
  }),
)
