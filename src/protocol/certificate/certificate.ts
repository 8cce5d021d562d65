/**
 * A certificate: what was checked, on which files, by which installation and with what result, signed.
 * The format is in docs/certificates.md, its schema in `certificate-schema.ts`.
 *
 * 1. A certificate has exactly one text: its canonical JSON (RFC 8785). Its id is the SHA-256 of that
 *    text, and the signature covers `certificateDomain` followed by the text.
 * 2. A file is the canonical JSON of certificate and signature plus a newline. Nothing else is
 *    accepted: the same values in another notation are another file.
 */

import type {
  AgentInfo,
  Amount,
  CertificateId,
  CheckKind,
  CheckStatus,
  Limits,
  RunId,
  SandboxSummary,
  Source,
  TestCounts,
  TreeId,
} from '../../loop/index.ts'
import type { ReadFiles, StrengthParts } from './certificate-strength.ts'

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
