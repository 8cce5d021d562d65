/** The types of one certification: what it is given, what it finds, and what a certificate is made from. */

import type { CertifyContext, Subject, TreeReader } from '../../engine/index.ts'
import type { CertificateId, Finding, Refusal, RunId, TreeId } from '../../loop/index.ts'
import type { Strength, StrengthLevel, StrengthParts } from '../../protocol/index.ts'
import type {
  CertificationCheckout,
  CertificationCheckoutRequest,
  DependencyApprovals,
} from '../parts.ts'
import type { ClassifiedChange, Scope } from '../scope/index.ts'
import type { SealRules } from '../seals/sealed-change.ts'
import type { BaseResults } from './base-answers.ts'
import type { ComparedTests } from './compare-tests.ts'
import type { Concern, ControlRun, PlantedCommand } from './observations.ts'
import type { CheckRun } from './run-checks.ts'
import type { AbleToFail } from './show-able-to-fail.ts'

export interface CertifierParts {
  readonly reader: TreeReader
  readonly seals: SealRules
  /** What to do about changes to sealed files, and everything else that only a person can decide. */
  readonly changes: 'ask' | 'refuse'
  /** How long a person may take. */
  readonly deadlineMs?: number
  readonly consultants: readonly Consultant[]
  /** Absent: in memory. */
  readonly raised?: RaisedConcerns
  /** Globs of the work. Absent: derived from the manifest. */
  readonly scope?: readonly string[]
  /** The required strength of the certificate. */
  readonly required: StrengthLevel
  /** No failures are planted. */
  readonly quick: boolean
  readonly bases: BaseResults
  /** Absent: dependencies need no approval. */
  readonly dependencies?: DependencyApprovals
  open(request: CertificationCheckoutRequest): Promise<CertificationCheckout>
  /** A command that could check this tree; undefined: none is known. */
  findAlternativeCommand(tree: TreeId): Promise<string | undefined>
  /** Signs it, adds it to the chain and stores it. */
  issue(certified: Certified): Promise<CertificateId>
  /** New for each question to an agent, and hard to guess. */
  token(): string
  now(): number
}

/** Everything that a certificate is made from. */
export interface Certified {
  readonly subject: Subject
  readonly layer?: CertificationCheckout['layer']
  readonly sandbox?: CertificationCheckout['sandbox']
  /** On the candidate, and on the base plus the work. */
  readonly own: readonly CheckRun[]
  readonly sealed: readonly CheckRun[]
  readonly sealedChanges: readonly ClassifiedChange[]
  readonly approvals: readonly Approval[]
  readonly consultations: readonly Consultation[]
  /** How much the checks prove. Absent: the condition is the loop's own code. */
  readonly proof?: StrengthParts
  /** The files that each check read on the candidate, sorted, by its name. */
  readonly reads?: ReadonlyMap<string, readonly string[]>
}

/** What is remembered between the certifications of a run, as long as this process lives. */
export interface Memory {
  /** The examination of a tree while a person is asked about it. */
  examined?: { readonly key: string; readonly examined: Examination }
  readonly raised: RaisedConcerns
  /** The scope of a base, which takes a while to derive. */
  scope?: { readonly base: TreeId; readonly scope: Promise<Scope> }
  /** Refusals by tree: the same files are not certified again. */
  readonly refused: Map<TreeId, readonly Refusal[]>
  /** Questions that were declined: they are not asked again. */
  readonly declined: Map<string, string>
}

/** One certification in progress. */
export interface CertificationContext {
  readonly parts: CertifierParts
  readonly memory: Memory
  readonly subject: Subject
  readonly context: CertifyContext
  readonly tree: TreeId
  readonly base: TreeId
}

/** Can open the tree a second time, to run checks in parallel. */
export interface ExaminationContext extends CertificationContext {
  openAgain(): Promise<CertificationCheckout>
}

export interface Approval {
  readonly codes: readonly string[]
  readonly by: string
  /** The digest of the diff that was shown, or of what was approved. */
  readonly diffDigest: string
  /** Absent: now. */
  readonly atMs?: number
}

export interface Consultant {
  readonly name: string
  /** What it should look at. */
  readonly prompt: string
  readonly timeoutMs: number
  /** For the certificate. */
  readonly agent: string
}

export interface Consultation {
  readonly name: string
  readonly status: 'no-answer' | 'approved' | 'concerns-raised' | 'rejected' | 'resolved'
  readonly agent: string
  readonly atMs: number
  readonly reasons: readonly Finding[]
}

/** What each consultant raised last, by run. Stored, so that a restart cannot lose it. */
export interface RaisedConcerns {
  find(run: RunId, consultant: string): Promise<readonly Finding[]>
  keep(run: RunId, consultant: string, findings: readonly Finding[]): Promise<void>
}

export interface Examination {
  readonly layer: CertificationCheckout['layer']
  readonly sandbox?: CertificationCheckout['sandbox']
  /** The checks on the candidate. */
  readonly own: readonly CheckRun[]
  /** The checks on the base plus the work. */
  readonly sealed: readonly CheckRun[]
  readonly controls: readonly ControlRun[]
  readonly changes: readonly ClassifiedChange[]
  readonly compared: ReadonlyMap<string, ComparedTests>
  readonly able: ReadonlyMap<string, AbleToFail>
  readonly commands: ReadonlyMap<string, PlantedCommand>
  readonly concerns: readonly Concern[]
  readonly consultations: readonly Consultation[]
  readonly strength: Strength
}
