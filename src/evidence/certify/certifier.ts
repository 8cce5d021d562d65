/**
 * E5. Complete means certified: every check ran by us, fresh, on the very tree that the certificate names, in
 * a clean checkout that no agent has seen. E7. What was red is green by the work alone.
 *
 *   certify
 *   ├─ dependencies     asked about before anything is installed
 *   ├─ examine          candidate, base, planted failures, controls
 *   ├─ consult          agents that must have reviewed the work
 *   └─ refused, one question, or the certificate
 *
 * Nothing is reused but answers of the base, and within one certification: what was found before a person was
 * asked still holds when the answer comes, since it is about the same tree.
 */

import type {
  Certification,
  Certifier,
  CertifyContext,
  Subject,
  TreeReader,
} from '../../engine/index.ts'
import type { CertificateId, Refusal, TreeId } from '../../loop/index.ts'
import type { StrengthLevel, StrengthParts } from '../../protocol/index.ts'
import type { CertifyingPlace, DependencyApprovals, PlaceRequest } from '../parts.ts'
import type { ClassifiedChange, Scope } from '../scope/index.ts'
import type { SealRules } from '../seals/sealed-change.ts'
import type { Approval } from './ask-approval.ts'
import type { BaseAnswers } from './base-answers.ts'
import { certifyTree } from './certify-tree.ts'
import {
  type Consultant,
  type Consultation,
  type RaisedConcerns,
  raisedInMemory,
} from './consult.ts'
import type { Examined } from './examine.ts'
import type { Ran } from './run-checks.ts'

export interface CertifierParts {
  readonly reader: TreeReader
  readonly seals: SealRules
  /** What becomes of changes to sealed things, and of whatever else only a person can decide. */
  readonly changes: 'ask' | 'refuse'
  /** How long a person may take. */
  readonly deadlineMs?: number
  readonly consultants: readonly Consultant[]
  /** Absent: in memory. */
  readonly raised?: RaisedConcerns
  /** Globs of what is the work; absent: derived from the manifest. */
  readonly scope?: readonly string[]
  /** How strong the certificate has to be. */
  readonly required: StrengthLevel
  /** No failures are planted. */
  readonly quick: boolean
  readonly bases: BaseAnswers
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
  /** On the candidate, and on the base plus the work. */
  readonly own: readonly Ran[]
  readonly sealed: readonly Ran[]
  readonly sealedChanges: readonly ClassifiedChange[]
  readonly approvals: readonly Approval[]
  readonly consultations: readonly Consultation[]
  /** How much the checks prove. Absent: the condition is the loop's own code. */
  readonly proof?: StrengthParts
  /** The files that each check read on the candidate, sorted, by its name. */
  readonly reads?: ReadonlyMap<string, readonly string[]>
}

/** What is known from one certification of a run to the next, as long as this process lives. */
export interface Memory {
  /** What was found about a tree that a person is asked about. */
  examined?: { readonly key: string; readonly examined: Examined }
  readonly raised: RaisedConcerns
  /** The scope of a base: it takes a while to derive. */
  scope?: { readonly base: TreeId; readonly scope: Promise<Scope> }
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

/** Where a tree can be opened a second time, to run checks side by side. */
export interface Examining extends Certifying {
  openAgain(): Promise<CertifyingPlace>
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
