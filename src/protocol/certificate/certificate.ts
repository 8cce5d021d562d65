/**
 * A certificate: what was checked, on which files, by which installation and with what result, signed.
 * The format is in docs/certificates.md.
 *
 * 1. A certificate has exactly one text: its canonical JSON (RFC 8785). Its id is the SHA-256 of that
 *    text, and the signature covers `certificateDomain` followed by the text.
 * 2. A file is the canonical JSON of certificate and signature plus a newline. Nothing else is
 *    accepted: the same values in another notation are another file.
 */

import { z } from 'zod'
import {
  type AgentInfo,
  type Amount,
  type CertificateId,
  type CheckKind,
  type CheckStatus,
  checkKinds,
  type Limits,
  type RunId,
  type SandboxSummary,
  type Source,
  type TestCounts,
  type TreeId,
} from '../../loop/index.ts'
import { agentUsedSchema, sandboxUsedSchema, sourceSchema } from '../events/event-parts.ts'
import { exactly } from '../exactly.ts'
import { amountSchema, limitsSchema } from '../run-values.ts'
import { count, id, listOf, milliseconds, ordinal, published, timestamp } from '../values.ts'
import {
  type ReadFiles,
  readFilesSchema,
  type StrengthParts,
  strengthShape,
} from './certificate-strength.ts'

export const certificateFormat = 'loopwright-certificate'
/** The version that is issued. Version 1 can still be read and verified. */
export const certificateVersion = 2
export type CertificateVersion = 1 | 2
/** Prefixed to the text before signing, so that one signature cannot mean two things. */
export const certificateDomain = (version: CertificateVersion): string =>
  `loopwright-certificate ${version}\n`
/** The size limit for reading and writing. */
export const certificateBytesMax: number = 16 * 1024 * 1024

/** What a certificate says: the tree, the checks that passed on it, the tests, the approvals, and who signed it. */
export interface Certificate extends StrengthParts {
  readonly format: typeof certificateFormat
  readonly version: CertificateVersion
  readonly what: Certified
  /** Absent: the run has no files. */
  readonly tree?: TreeId
  readonly commit?: string
  /** Paths of a plain folder that the tree excludes. */
  readonly apart?: readonly string[]
  /** The state before the first iteration, or the state to compare with. */
  readonly base?: { readonly tree?: TreeId; readonly commit?: string }
  readonly rests: CertificateBasis
  /** Every check that ran, in order, including those that the certificate does not rest on. */
  readonly checks: readonly CertifiedCheck[]
  readonly sealed: SealedPart
  /** What a person approved; `codes` are the concerns that would have been raised otherwise. */
  readonly approvals: readonly ApprovalNote[]
  readonly consultations: readonly Consultation[]
  /** Defects planted in the changed code, and how many of them a check noticed. */
  readonly teeth?: { readonly planted: number; readonly noticed: number }
  readonly layer?: CertifiedDependencies
  readonly sandbox?: SandboxSummary
  readonly policy: {
    readonly decision: 'none' | 'allow'
    /** The digest of the rules. */
    readonly set: string
    /** The rules that allowed the iteration. */
    readonly rules?: readonly string[]
  }
  readonly budget?: {
    readonly spent: Amount
    readonly limits: Limits
    readonly activeMs: number
  }
  readonly agent?: AgentInfo
  readonly model?: string
  readonly issuedAt: string
  /** The id of the first key of this installation. */
  readonly installation: string
  /** Position in the certificate chain of this installation, from 1. */
  readonly number: number
  readonly previous: CertificateId | null
}

export type Certified =
  | {
      readonly type: 'run'
      readonly run: RunId
      readonly name: string
      readonly loop: string
      readonly source?: Source
      readonly codeDigest: string
      readonly iteration: number
      readonly condition: string
    }
  /** Files that a user had certified without a run. */
  | { readonly type: 'tree'; readonly name: string; readonly source?: Source }

/** What must hold: these checks, a decision by the loop's own code, or both. */
export interface CertificateBasis {
  readonly checks: readonly string[]
  /** The condition that decided in code. */
  readonly code?: string
}

export interface CertifiedCheck {
  readonly name: string
  readonly kind: CheckKind
  /** Whether sealed files were taken from the tree itself or from the base. */
  readonly pass: 'own' | 'sealed'
  /** The program and its arguments, or a tool, or a judge. */
  readonly command: readonly string[]
  readonly toolDigest: string
  readonly status: CheckStatus
  readonly exitCode?: number
  /** The whole output, up to the sandbox limit. Version 1: an excerpt of 4,000 characters. */
  readonly output: { readonly sha256: string; readonly bytes: number }
  readonly counts?: TestCounts
  readonly startedAt: string
  readonly endedAt: string
  /** All results on this tree, if they differ. */
  readonly flaky?: readonly CheckStatus[]
  /** It failed on the base as well; `allowed`: the loop file permits that. */
  readonly existing?: true
  readonly allowed?: true
  readonly calibration?: CertifiedCalibration
  /** Absent: reads could not be observed, or it is not a command. */
  readonly reads?: ReadFiles
}

/** The measured error rates of this check. */
export interface CertifiedCalibration {
  readonly falseAccepts: ErrorRate
  readonly falseRejects: ErrorRate
  /** Identifies the measurement. */
  readonly ref: string
}

/** `count` out of `of`, with the bounds of the 95 % Wilson interval. */
export interface ErrorRate {
  readonly count: number
  readonly of: number
  readonly low: number
  readonly high: number
}

export interface SealedPart {
  readonly changes: readonly SealedChangeNote[]
  /** The person who approved them. `digest` is that of the diff they were shown. */
  readonly approval?: { readonly by: string; readonly at: string; readonly digest: string }
}

export interface ApprovalNote {
  readonly codes: readonly string[]
  readonly by: string
  readonly at: string
  /** The digest of the diff that was shown. */
  readonly digest: string
}

export interface SealedChangeNote {
  readonly path: string
  /** Free text: changed, removed, skipped… */
  readonly what: string
  readonly keys?: readonly string[]
}

export interface Consultation {
  readonly name: string
  /** `no-answer`: no valid answer in time, so a person decided. Version 1 has `pending`. */
  readonly status:
    | 'pending'
    | 'approved'
    | 'concerns-raised'
    | 'rejected'
    | 'resolved'
    | 'no-answer'
  readonly agent: string
  readonly at: string
  readonly summary?: string
}

export interface CertifiedDependencies {
  readonly from: 'installed' | 'carried' | 'none'
  readonly digest: string
  readonly summary: string
  /** There was no base to compare the lockfile with. */
  readonly lockfile?: 'unapproved'
  /** Without a lockfile: when the versions were resolved, and the SHA-256 of the lockfile written then. */
  readonly resolved?: { readonly at: string; readonly digest: string }
  /** Packages from git or from URLs, and install scripts, that a person approved. */
  readonly approved?: readonly string[]
}

/** What the caller supplies; the installation adds the rest. */
export type CertificateDraft = Omit<
  Certificate,
  'format' | 'version' | 'issuedAt' | 'installation' | 'number' | 'previous'
>

export interface Signature {
  readonly algorithm: 'ed25519'
  /** The SHA-256 of the public key. */
  readonly keyId: string
  /** The 32 bytes in hex. A valid signature does not make the key trusted. */
  readonly publicKey: string
  readonly value: string
}

export interface SignedCertificate {
  readonly certificate: Certificate
  readonly signature: Signature
}

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
