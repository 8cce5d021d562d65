/** Runs as commands see them. Each command is written once, against this. */

import type { Client, QueueEntry } from '../../client/index.ts'
import type {
  ActionEntry,
  ActionFact,
  CleanedWorktree,
  Diff,
  Discarded,
  EscapeRequest,
  InboxQuestion,
  LoopAttention,
  MemoryFact,
  PolicyDecisions,
  Postmortem,
  PullRequest,
  PullRequestRequest,
  Run,
  RunDetail,
  Worktree,
} from '../../protocol/api/index.ts'

/** With its position in the queue, if a daemon drives it. */
export type Inspected = RunDetail

export interface ListFilter {
  /** A status, or its name in a legacy format. */
  readonly status?: string
  readonly workspace?: string
  /** How many of the newest; default: all. */
  readonly limit?: number
}

export interface AnalyzeChoice {
  readonly model?: string
  readonly promptOnly?: boolean
}

export interface DiffChoice {
  readonly iteration?: number
  readonly stat?: boolean
}

export interface WorktreeFilter {
  /** A folder in the repository. */
  readonly repository?: string
}

export interface MemoryFilter {
  readonly loop?: string
  /** A folder that loops work in, or one in their repository. */
  readonly workspace?: string
  readonly words?: string
  /** How many of the newest; default: all. */
  readonly limit?: number
}

/** All answers of the policy about a run. */
export interface PolicyExplanation
  extends Pick<PolicyDecisions, 'policy'>,
    Pick<Required<PolicyDecisions>, 'allowedCalls'> {
  readonly run: Pick<Run, 'id' | 'name' | 'status'>
  readonly rulings: PolicyDecisions['items']
}

export interface Runs
  extends Pick<
    Client,
    | 'answer'
    | 'events'
    | 'decideLevel'
    | 'digest'
    | 'escalations'
    | 'forgetMemories'
    | 'forgetMemory'
    | 'inspect'
    | 'land'
    | 'levelChanges'
    | 'levels'
    | 'memory'
    | 'merge'
    | 'output'
    | 'remove'
    | 'report'
    | 'sendDecision'
  > {
  list(filter?: ListFilter): Promise<readonly Run[]>
  diff(run: string, choice?: DiffChoice): Promise<Diff>
  /** Open questions, the nearest deadline first. */
  inbox(): Promise<readonly InboxQuestion[]>
  queue(): Promise<readonly QueueEntry[]>
  worktrees(filter?: WorktreeFilter): Promise<readonly Worktree[]>
  cleanWorktrees(
    choice?: WorktreeFilter & { readonly dryRun?: boolean },
  ): Promise<readonly CleanedWorktree[]>
  removeWorktree(
    worktree: string,
    choice?: { readonly force?: boolean },
  ): Promise<readonly CleanedWorktree[]>
  scrap(run: string, by: string): Promise<Discarded>
  reset(run: string, by: string): Promise<Discarded>
  analyze(run: string, choice?: AnalyzeChoice): Promise<Postmortem>
  explainPolicy(run: string): Promise<PolicyExplanation>
  /** For each loop. */
  attention(filter?: Omit<ListFilter, 'limit'>): Promise<readonly LoopAttention[]>
  /** What loops remember, the newest first. */
  memories(filter?: MemoryFilter): Promise<readonly MemoryFact[]>
  actions(run: string): Promise<readonly ActionEntry[]>
  actionFacts(): Promise<readonly ActionFact[]>
  recordEscape(run: string, request: EscapeRequest): Promise<ActionEntry>
  createPullRequest(run: string, request: PullRequestRequest): Promise<PullRequest>
}
