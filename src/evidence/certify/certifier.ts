/**
 * E5. Complete means certified: the engine ran every check anew, on exactly the tree that the certificate names,
 * in a clean checkout that no agent has seen. E7. The work alone turned red into green.
 *
 *   certify
 *   ├─ dependencies     approved before anything is installed
 *   ├─ examine          candidate, base, planted failures, control runs
 *   ├─ consult          agents that must review the work
 *   └─ refused, one question, or the certificate
 *
 * Only results on the base are reused, and results within one certification: what was found before a person was
 * asked still holds when the answer comes, because it is about the same tree.
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
  createInMemoryConcerns,
  type RaisedConcerns,
} from './consult.ts'
import type { Examination } from './examine.ts'
import type { CheckRun } from './run-checks.ts'

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
  readonly bases: BaseAnswers
  /** Absent: dependencies need no approval. */
  readonly dependencies?: DependencyApprovals
  open(request: PlaceRequest): Promise<CertifyingPlace>
  /** A command that could check this tree; undefined: none is known. */
  commandInstead(tree: TreeId): Promise<string | undefined>
  /** Signs it, adds it to the chain and stores it. */
  issue(certified: Certified): Promise<CertificateId>
  /** New for each question to an agent, and hard to guess. */
  token(): string
  now(): number
}

/** Everything that a certificate is made from. */
export interface Certified {
  readonly subject: Subject
  readonly layer?: CertifyingPlace['layer']
  readonly walls?: CertifyingPlace['walls']
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

export function createCertifier(parts: CertifierParts): Certifier {
  const memory: Memory = {
    raised: parts.raised ?? createInMemoryConcerns(),
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
  openAgain(): Promise<CertifyingPlace>
}

/** For a loop whose own code decides, without files or checks: the certificate says so. */
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
