/**
 * E5. Complete means certified: every check ran by us, fresh, on the very tree that the certificate
 * names, in a clean checkout that no agent has seen. E7. What judges the work is the base's own.
 *
 *   certify
 *   ├─ what is sealed and was changed                          tests, configuration by key, dependencies
 *   ├─ own       every check on the tree                        a doubtful answer is asked for again
 *   ├─ sealed    every check with the base's sealed things      only where some were changed
 *   ├─ base      what the runner counted before                 kept for the next time
 *   ├─ teeth     a planted defect must be noticed
 *   ├─ consult   those who must have looked at it
 *   └─ refused, one question, or the certificate
 *
 * Nothing is re-used but within one certification: what was found before a person was asked still holds
 * when the answer comes, since it is about the same tree.
 */

import type { Certification, Certifier, CertifyContext, Subject } from '../../engine/index.ts'
import type { CertificateId, Refusal, TreeId } from '../../loop/index.ts'
import type { StrengthParts } from '../../protocol/index.ts'
import type { CertifyingPlace, DependencyApprovals, PlaceRequest, TreeReader } from '../parts.ts'
import type { SealedChange, SealRules } from '../seals/sealed-change.ts'
import type { Approval } from './ask-approval.ts'
import type { Baselines } from './baseline.ts'
import { certifyTree } from './certify-tree.ts'
import {
  type Consultant,
  type Consultation,
  type RaisedConcerns,
  raisedInMemory,
} from './consult.ts'
import type { KnownAnswers } from './known-answers.ts'
import type { Looked } from './look.ts'
import type { TeethSettings } from './look-at-teeth.ts'
import type { Ran } from './run-checks.ts'

export interface CertifierParts {
  readonly reader: TreeReader
  readonly seals: SealRules
  /** What becomes of changes to sealed things, and of whatever else only a person can decide. */
  readonly changes: 'ask' | 'refuse'
  /** How long a person may take. */
  readonly deadlineMs?: number
  readonly consultants: readonly Consultant[]
  /** Absent: no defects are planted. */
  readonly teeth?: TeethSettings
  /** Absent: in memory. */
  readonly raised?: RaisedConcerns
  readonly baselines: Baselines
  readonly answers: KnownAnswers
  /** Absent: nothing takes an approval. */
  readonly dependencies?: DependencyApprovals
  open(request: PlaceRequest): Promise<CertifyingPlace>
  /** How a command could check this tree; undefined: none that is known. */
  commandInstead(tree: TreeId): Promise<string | undefined>
  /** Signs, chains and keeps it. */
  issue(certified: Certified): Promise<CertificateId>
  /** New for each question to an agent, and hard to guess. */
  token(): string
  now(): number
}

/** All that a certificate is made of. */
export interface Certified {
  readonly subject: Subject
  readonly layer?: CertifyingPlace['layer']
  readonly walls?: CertifyingPlace['walls']
  readonly own: readonly Ran[]
  readonly sealed: readonly Ran[]
  readonly sealedChanges: readonly SealedChange[]
  readonly approvals: readonly Approval[]
  readonly consultations: readonly Consultation[]
  readonly teeth?: { readonly planted: number; readonly noticed: number }
  /** How much the checks prove. Absent: the condition is the loop's own code. */
  readonly proof?: StrengthParts
  /** The files that each check read on the candidate, sorted, by its name. */
  readonly reads?: ReadonlyMap<string, readonly string[]>
}

/** What is known from one certification of a run to the next, as long as this process lives. */
export interface Memory {
  /** What was found of a tree that a person is asked about. */
  looked?: { readonly key: string; readonly looked: Looked }
  readonly raised: RaisedConcerns
  /** What was refused, by tree: the same files are not certified in a second try. */
  readonly refused: Map<TreeId, readonly Refusal[]>
  /** Questions that were answered with no: they are not asked again. */
  readonly declined: Map<string, string>
}

export function createCertifier(parts: CertifierParts): Certifier {
  const memory: Memory = {
    raised: parts.raised ?? raisedInMemory(),
    refused: new Map(),
    declined: new Map(),
  }
  return {
    certify(subject, context): Promise<Certification> {
      const { tree, checks } = subject
      if (tree === undefined || checks.length === 0) return certifyCode(parts, subject)
      return certifyTree({ parts, memory, subject, context, tree, base: subject.base ?? tree })
    },
  }
}

/** One certification, under way. */
export interface Certifying {
  readonly parts: CertifierParts
  readonly memory: Memory
  readonly subject: Subject
  readonly context: CertifyContext
  readonly tree: TreeId
  readonly base: TreeId
}

/** A loop whose own code decides, on no files or with no check: the certificate says so. */
async function certifyCode(parts: CertifierParts, subject: Subject): Promise<Certification> {
  const certificate = await parts.issue({
    subject,
    own: [],
    sealed: [],
    sealedChanges: [],
    approvals: [],
    consultations: [],
  })
  return { type: 'certified', certificate }
}
