/**
 * E5. Who decides that work is complete. The engine asks once the loop's own condition is met, and a run
 * ends as completed only with what comes of it.
 */

import type {
  AgentReport,
  AgentTask,
  AgentUsed,
  Amount,
  Answer,
  CertificateId,
  Evidence,
  Json,
  Limits,
  Question,
  Refusal,
  RunId,
  Source,
  StepContext,
  StepId,
  ToolResult,
  TreeId,
  Walls,
} from '../loop/index.ts'
import type { Agents } from './ports.ts'

/** Contract: done again after a crash it may make another certificate; it changes nothing else. */
export interface Certifier {
  certify(subject: Subject, context: CertifyContext): Promise<Certification>
}

/** What is to be certified, and all that a certificate says of how it came to be. */
export interface Subject {
  readonly run: RunId
  readonly name: string
  readonly loop: string
  readonly codeDigest: string
  readonly source?: Source
  readonly iteration: number
  /** The loop's condition that was met. */
  readonly condition: string
  /** The checks that it rests on; empty: on the code of the loop alone. */
  readonly checks: readonly string[]
  /** What the checks said during the iterations. */
  readonly evidence: { readonly [check: string]: Evidence }
  /** Checks that a person lets fail as they did before the run began. */
  readonly allows?: readonly string[]
  /** The files as they are; absent: the run works on none. */
  readonly tree?: TreeId
  /** The files as they were before the first iteration. */
  readonly base?: TreeId
  /** What `Workspace.keep` made of the tree. */
  readonly commit?: string
  readonly spent: Amount
  readonly limits: Limits
  readonly activeMs: number
  readonly agent?: AgentUsed
  readonly sandbox?: Walls
  /** What people answered to what this certification asked, the first first. */
  readonly answers: readonly GivenAnswer[]
}

export interface GivenAnswer extends Answer {
  readonly key: string
}

export interface CertifyContext extends StepContext {
  readonly step: StepId
  readonly iteration: number
  /** One of these agents works, in this folder; it is metered as part of this step. */
  work(
    agents: Agents,
    role: string,
    task: AgentTask,
    workspace: string,
    options?: { readonly timeoutMs?: number },
  ): Promise<AgentReport>
  callTool(name: string, args: Json): Promise<ToolResult>
  /** What is being tried, why, and how long it may take: for people who watch. */
  note?(text: string): void
}

export type Certification =
  | { readonly type: 'certified'; readonly certificate: CertificateId }
  | { readonly type: 'refused'; readonly refusals: readonly Refusal[] }
  /** A person decides; then it is asked again, with the answer. */
  | { readonly type: 'asks'; readonly key: string; readonly question: Question }
