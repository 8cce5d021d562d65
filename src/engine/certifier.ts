/**
 * E5. The port that decides whether work is complete. The engine calls it when the loop's own condition is
 * met; a run ends as completed only with its certificate.
 */

import type {
  AgentInfo,
  AgentReport,
  AgentTask,
  Amount,
  Answer,
  CertificateId,
  Evidence,
  Json,
  Limits,
  Question,
  Refusal,
  RunId,
  SandboxSummary,
  Source,
  StepContext,
  StepId,
  ToolResult,
  TreeId,
} from '../loop/index.ts'
import type { Agents } from './ports.ts'

/** Contract: if called again after a crash, it may create another certificate but changes nothing else. */
export interface Certifier {
  certify(subject: Subject, context: CertifyContext): Promise<Certification>
}

/** What is to be certified, and everything that the certificate says about its origin. */
export interface Subject {
  readonly run: RunId
  readonly name: string
  readonly loop: string
  readonly codeDigest: string
  readonly source?: Source
  readonly iteration: number
  /** The loop's condition that was met. */
  readonly condition: string
  /** The checks that it is based on. Empty: only the loop's own code says so. */
  readonly checks: readonly string[]
  /** The results of the checks during the iterations. */
  readonly evidence: { readonly [check: string]: Evidence }
  /** Checks that a person allowed to keep failing as they did before the run. */
  readonly allows?: readonly string[]
  /** The current files. Absent: the run has no workspace. */
  readonly tree?: TreeId
  /** The files before the first iteration. */
  readonly base?: TreeId
  /** The result of `Workspace.keep` for the tree. */
  readonly commit?: string
  readonly spent: Amount
  readonly limits: Limits
  readonly activeMs: number
  readonly agent?: AgentInfo
  readonly sandbox?: SandboxSummary
  /** The rules that applied, and those of them that allowed the iteration. Absent: no policy. */
  readonly policy?: { readonly digest: string; readonly rules?: readonly string[] }
  /** People's answers to the questions of this certification, in order. */
  readonly answers: readonly GivenAnswer[]
}

export interface GivenAnswer extends Answer {
  readonly key: string
}

export interface CertifyContext extends StepContext {
  readonly step: StepId
  readonly iteration: number
  /** Lets an agent of the run work in this folder, metered as part of this step. */
  work(
    agents: Agents,
    role: string,
    task: AgentTask,
    workspace: string,
    options?: { readonly timeoutMs?: number },
  ): Promise<AgentReport>
  callTool(name: string, args: Json): Promise<ToolResult>
  /** Shows people what is being done, why, and how long it may take. */
  note?(text: string): void
}

export type Certification =
  | { readonly type: 'certified'; readonly certificate: CertificateId }
  | { readonly type: 'refused'; readonly refusals: readonly Refusal[] }
  /** A person must decide; then the certifier is called again, with the answer. */
  | { readonly type: 'asks'; readonly key: string; readonly question: Question }
