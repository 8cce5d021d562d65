/**
 * The state of a run: a fold over its events, small regardless of the length of its history.
 *
 * A state is facts, which hold in every phase, and one phase. A combination that cannot happen cannot
 * be written: a waiting run has an open iteration, only a waiting run has open waits, and a run has an
 * outcome exactly when its status is that end (`run-phase.ts`).
 *
 * All members exist from the start, so that every state has the same shape: the fold runs for each
 * event, and copying objects of one shape is cheap.
 */

import { type Attempts, initialAttempts } from './authority/attempts.ts'
import { type Attention, noAttention } from './authority/attention.ts'
import type { OpenGuidance } from './authority/guidance.ts'
import type { PolicyInEffect, PolicyRuling } from './authority/policy.ts'
import { type Amount, defaultLimits, type Limits, zero } from './budget.ts'
import type {
  AgentInfo,
  Certified,
  Ending,
  Origin,
  OutsideDigests,
  Preflight,
  RunWorktree,
  SandboxSummary,
  ScheduledTick,
} from './event.ts'
import type { CheckDescription, Evidence, EvidenceKept } from './evidence.ts'
import type { StepId, TreeId } from './ids.ts'
import type { Json } from './json.ts'
import { type Pending, pending, type RunPhase } from './run-phase.ts'
import type { Source } from './source.ts'
import type { TodoList } from './step/todo-list.ts'

/** Counts and sums, for people and dashboards. */
export interface Metrics {
  readonly steps: number
  readonly stepsFailed: number
  readonly retries: number
  readonly interruptions: number
  readonly rateLimits: number
  readonly iterationErrors: number
  /** Time spent in iterations that ended. */
  readonly iterationMs: number
  /** Finished steps by kind. */
  readonly byKind: { readonly [kind: string]: number }
  /** Tool calls by name, made by the loop and by agents. */
  readonly tools: { readonly [tool: string]: ToolUse }
}

export interface ToolUse {
  readonly calls: number
  readonly failed: number
  readonly ms: number
  readonly outputBytes: number
}

/** A worst case that is not settled. */
export interface Reserved extends Amount {
  /** The role of the agent that spends it. Absent: no agent. */
  readonly role?: string
}

export interface RunFacts {
  readonly seq: number
  /** When the last event happened. */
  readonly atMs: number
  readonly createdAtMs: number
  readonly loop: string
  readonly codeDigest: string
  readonly limits: Limits
  readonly source?: Source | undefined
  readonly worktree?: RunWorktree | undefined
  readonly origin?: Origin | undefined
  readonly repeat?: number | undefined
  readonly outside?: OutsideDigests | undefined
  readonly schedule?: ScheduledTick | undefined
  readonly sandbox?: SandboxSummary | undefined
  readonly agent?: AgentInfo | undefined
  /** Its checks, in their order. Absent: there are none, or an earlier version wrote the run. */
  readonly checks?: readonly CheckDescription[] | undefined
  /** The rules that apply to the run. Absent: none. */
  readonly policy?: PolicyInEffect | undefined
  /** The answer of the policy about the open iteration, or the next one. Absent: it was not asked yet. */
  readonly ruling?: (PolicyRuling & { readonly iteration: number }) | undefined
  /** The last todo list that an agent reported, and in which step. Absent: none. */
  readonly todo?: (TodoList & { readonly iteration: number; readonly step: StepId }) | undefined
  /** What people told the run, until the work that it was delivered to has ended. Oldest first. */
  readonly guidance: readonly OpenGuidance[]
  /** Iterations that count. */
  readonly iteration: number
  readonly lastEnding?: Ending | undefined
  readonly progress?: Json | undefined
  readonly tree?: TreeId | undefined
  readonly evidence: { readonly [check: string]: Evidence }
  /** The last results of each check, newest last: to reuse them, and to detect contradictions. */
  readonly answers: { readonly [check: string]: readonly EvidenceKept[] }
  /** Checks that a person allowed to keep failing as they did before the run. Absent: not asked. */
  readonly allows?: readonly string[] | undefined
  /** E5. The newest certificate and its iteration. It is void once the iteration or the tree changes. */
  readonly certificate?: (Certified & { readonly iteration: number }) | undefined
  readonly spent: Amount
  /** The part of it that each agent spent, by role. */
  readonly spentByRole: { readonly [role: string]: Amount }
  /** How often the loop called each agent, by role. */
  readonly callsByRole: { readonly [role: string]: number }
  /** What was spent when the open iteration started. */
  readonly spentBefore: Amount
  /** The active time when the open iteration started. */
  readonly activeMsBefore: number
  /** Warnings that were given: see `warningKey`. */
  readonly warned: readonly string[]
  /** Reserved but not settled, by step or by reservation id. */
  readonly reserved: { readonly [id: string]: Reserved }
  readonly activeMs: number
  /** How often in a row a provider rate-limited the open iteration. */
  readonly rateLimits: number
  /** Iterations in a row in which neither progress nor files changed. */
  readonly unchanged: number
  readonly errors: { readonly signature: string; readonly times: number }
  /** How long the run has made no progress. */
  readonly attempts: Attempts
  /** The questions it asked, and how long it waited for people. */
  readonly attention: Attention
  /** What a person requested. Possible in every phase; a later event carries it out. */
  readonly stop?: { readonly by: string; readonly reason: string } | undefined
  readonly cancel?: { readonly by: string; readonly reason: string } | undefined
  readonly pauseRequested: boolean
  readonly treeAtIterationStart?: TreeId | undefined
  /** The files before the first iteration, or those that the run follows now. */
  readonly baseTree?: TreeId | undefined
  /** The commit with those files, if the run follows another branch. */
  readonly follows?: string | undefined
  /** The last iteration that was started and is repeated, because of force or a rewind. */
  readonly begunIteration?: number | undefined
  /** The results of the checks on the base. Absent: there was no preflight. */
  readonly preflight?: Preflight | undefined
  readonly metrics: Metrics
}

/** What the events of a run add up to: its facts, and the phase that it is in. */
export type RunState = RunFacts & RunPhase

export const initialState: RunFacts & Pending = {
  ...pending,
  seq: 0,
  atMs: 0,
  createdAtMs: 0,
  loop: '',
  codeDigest: '',
  limits: defaultLimits,
  source: undefined,
  worktree: undefined,
  origin: undefined,
  repeat: undefined,
  outside: undefined,
  schedule: undefined,
  sandbox: undefined,
  agent: undefined,
  checks: undefined,
  policy: undefined,
  ruling: undefined,
  todo: undefined,
  guidance: [],
  iteration: 0,
  lastEnding: undefined,
  progress: undefined,
  tree: undefined,
  evidence: {},
  answers: {},
  allows: undefined,
  certificate: undefined,
  spent: zero,
  spentByRole: {},
  callsByRole: {},
  spentBefore: zero,
  activeMsBefore: 0,
  warned: [],
  reserved: {},
  activeMs: 0,
  rateLimits: 0,
  unchanged: 0,
  errors: { signature: '', times: 0 },
  attempts: initialAttempts,
  attention: noAttention,
  stop: undefined,
  cancel: undefined,
  pauseRequested: false,
  treeAtIterationStart: undefined,
  baseTree: undefined,
  begunIteration: undefined,
  preflight: undefined,
  metrics: {
    steps: 0,
    stepsFailed: 0,
    retries: 0,
    interruptions: 0,
    rateLimits: 0,
    iterationErrors: 0,
    iterationMs: 0,
    byKind: {},
    tools: {},
  },
}
