/**
 * Everything that can be observed about a run: one closed union. State is a fold over it.
 *
 *   run-created
 *   run-started                          a process drives the run (again after each stop or crash)
 *   ├─ preflight-noted, -ended           the checks on the base, once, before anything is spent
 *   ├─ policy-decided                    before each iteration, if there is a policy
 *   ├─ iteration-started 1
 *   │  ├─ step-started plan#1            durable before the step does anything
 *   │  ├─ step-finished plan#1           durable before anything depends on it (E1)
 *   │  ├─ step-started test#1
 *   │  ├─ step-failed test#1             with retryAtMs: retried; without: thrown to the loop
 *   │  ├─ …
 *   │  ├─ step-finished check:test#1     run by the engine if the loop did not run it
 *   │  └─ step-finished certify:…#1      once a condition is met: with a certificate, or refused (E5)
 *   ├─ iteration-ended 1                 carries progress; this is the checkpoint
 *   ├─ loop-printed                      what the code of the loop printed, at any time
 *   ├─ limit-warned                      a limit is nearly reached, once for each value of it
 *   ├─ decision-applied                  what a person decided, once (E11)
 *   ├─ guidance-delivered                what a person told the run reached an agent or a context
 *   ├─ run-suspended                     stopped gracefully, can be resumed
 *   ├─ run-ended                         exactly one outcome
 *   └─ action-recorded                   what people did with its work: the only event after the end
 */

import type { ActionRecorded } from './authority/action.ts'
import type { Escalated, IterationMeasure } from './authority/attempts.ts'
import type { Level } from './authority/level.ts'
import type {
  PolicyAction,
  PolicyContext,
  PolicyInEffect,
  PolicyRuling,
} from './authority/policy.ts'
import type { RunSeals } from './authority/run-seals.ts'
import type { Amount, Limits } from './budget.ts'
import type { Decision } from './decision.ts'
import type { CheckDescription, Evidence } from './evidence.ts'
import type { Fault } from './fault.ts'
import type { BlobId, CertificateId, ReservationId, RunId, StepId, TreeId } from './ids.ts'
import type { Json } from './json.ts'
import type { EarlierRun, LimitName, Outcome } from './outcome.ts'
import type { Patch } from './patch.ts'
import type { Question } from './question.ts'
import type { RoleAppearances } from './role-appearance.ts'
import type { Source } from './source.ts'
import type { StepKind } from './step/step-kind.ts'
import type { StepNote } from './step/step-note.ts'

/** Incremented when the meaning of an event changes; each run records the version that wrote it. */
export const eventVersion = 1

/** A value in the journal: in the row, or in a blob when it is large. Absent: undefined. */
export type Stored = { readonly value: Json } | { readonly blob: BlobId; readonly bytes: number }

/** What a run started from, if it did not start empty. */
export type Origin =
  | { readonly type: 'fork'; readonly run: RunId; readonly iteration: number }
  | { readonly type: 'checkpoint'; readonly checkpoint: string; readonly iteration: number }
  /** A repetition with the recorded answers. */
  | { readonly type: 'replay'; readonly run: RunId; readonly iteration: number }

/** The git worktree that a run works in, and how to find it. */
export interface RunWorktree {
  /** The git directory of the repository, shared by all of its worktrees. */
  readonly repository: string
  /** Its name in that repository. */
  readonly key: string
  readonly branch: string
  /** What the branch was created from. */
  readonly base: { readonly name: string; readonly commit: string }
  /** The folder that commands start in, relative to the root of the worktree. Absent: the root. */
  readonly folder?: string
  /** Ignored files that were brought over from the checkout. Absent: none. */
  readonly carried?: CarriedFiles
}

/** Paths relative to the root; the list is cut if there are very many. */
export interface CarriedFiles {
  readonly copied: readonly string[]
  readonly linked: readonly string[]
}

/** The sandbox of the run's processes, as of the last start of the run. */
export interface SandboxSummary {
  readonly tier: 'strong' | 'basic' | 'none'
  /** What enforces limits: for all processes of a command together, or for each one. */
  readonly limits: 'cgroup' | 'rlimit' | 'none'
  /** A person was watching. */
  readonly attended: boolean
}

/** The agent of a run, as far as it was known at its last start. */
export interface AgentInfo {
  /** An agent program, a model, or a kind of agent. */
  readonly name: string
  /** As reported by its package or by the program itself. Absent: unknown. */
  readonly version?: string
  /** The protocol it is used through, if it supports several. */
  readonly protocol?: 'headless' | 'acp'
}

export type Met = {
  readonly condition: string
  readonly ends: 'completed' | 'exhausted' | 'stuck'
  /** If it ends the run as exhausted: the limit reached. Absent in earlier journals: see `readLimit`. */
  readonly limit?: LimitName
  readonly detail?: string
  /** Another run already did this work, and its certificate was verified again. */
  readonly earlier?: EarlierRun
  /** The loop had its work certified by itself, or no file changed, so there was nothing to certify. */
  readonly byLoop?: 'certified' | 'unchanged'
}

/** How one iteration ended. */
export type Ending =
  | { readonly type: 'continue' }
  | { readonly type: 'complete'; readonly met: Met }
  /** Waits for the provider and then continues the same iteration, which is not counted. */
  | { readonly type: 'rate-limited'; readonly retryAtMs: number; readonly message: string }
  /** Continued on resume; not counted. */
  | { readonly type: 'interrupted'; readonly reason: string }
  | {
      readonly type: 'error'
      readonly fault: Fault
      readonly recoverable: boolean
      readonly met?: Met
    }

/** Everything that can happen in a run. The state of a run is computed from its events. */
export type RunEvent =
  | RunCreated
  | RunStarted
  | { readonly type: 'run-suspended'; readonly reason: string; readonly tree?: TreeId }
  | { readonly type: 'run-ended'; readonly outcome: Outcome }
  | PreflightNoted
  | PreflightEnded
  | IterationStarted
  | IterationEnded
  | { readonly type: 'iteration-restarted'; readonly iteration: number; readonly reason: string }
  | StepStarted
  | StepFinished
  | StepFailed
  | StepInterrupted
  | StepNoted
  | BudgetReserved
  | { readonly type: 'budget-settled'; readonly id: ReservationId; readonly spent: Amount }
  | DecisionApplied
  | RunRewound
  | WorkspaceChanged
  | PolicyDecided
  | ActionRecorded
  | LimitWarned
  | GuidanceDelivered
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  | LoopPrinted

/** The answer of the policy about an iteration, a tool call or an action. */
export interface PolicyDecided extends PolicyRuling {
  readonly type: 'policy-decided'
  readonly action: PolicyAction
  readonly iteration: number
  /** The step that asked. Absent: the engine asked before the iteration. */
  readonly step?: StepId
  /** The tool, or the kind of the action. */
  readonly resource?: string
  /** The digest of the rules. */
  readonly policy: string
  /** The numbers that it was decided with. */
  readonly context?: PolicyContext
}

/** A limit is nearly reached. */
export interface LimitWarned {
  readonly type: 'limit-warned'
  /** `iterations`, `tokens`, `cost`, `agents.maker.tokens`… */
  readonly limit: string
  readonly current: number
  readonly max: number
  readonly remaining: number
  /** The share of the limit at which this is reported. */
  readonly threshold: number
}

/** What people told the run has reached its work. */
export interface GuidanceDelivered {
  readonly type: 'guidance-delivered'
  /** The ids of the decisions. */
  readonly ids: readonly number[]
  readonly iteration: number
  /** The step whose agent received it. Absent: the context of the iteration. */
  readonly step?: StepId
}

/** One or more lines that the code of a loop printed. Nothing depends on it. */
export interface LoopPrinted {
  readonly type: 'loop-printed'
  readonly text: string
}

export interface RunCreated {
  readonly type: 'run-created'
  readonly eventVersion: number
  readonly loop: string
  readonly codeDigest: string
  readonly limits: Limits
  /** The registered loop type of the loop. Absent: `plain`, or code. */
  readonly loopType?: string
  /** How the agents of the loop appear. Absent: see `defaultRoles`. */
  readonly roles?: RoleAppearances
  readonly input?: Stored
  /** The file that defines the loop, if there is one. */
  readonly source?: Source
  /** Absent: the run works directly in a folder, or without one. */
  readonly worktree?: RunWorktree
  /** The folder was not a repository when the run was created, so its agent may create one there. */
  readonly withoutGit?: true
  /** A unique number if the user asked to repeat an earlier attempt. */
  readonly repeat?: number
  /** E8. What the run knows of the world outside its files, as digests by name. Absent: nothing. */
  readonly outside?: OutsideDigests
  /** The schedule that started the run. Absent: a person or a program did. */
  readonly schedule?: ScheduledTick
  readonly origin?: Origin
  /** With an origin: the progress of the earlier iterations. */
  readonly progress?: Json
  readonly iteration?: number
  readonly tree?: TreeId
  /** With an origin: the files before the first iteration, if they are known. */
  readonly baseTree?: TreeId
  /** With an origin: the results of the checks on those files. */
  readonly preflight?: Pick<Preflight, 'checks'>
  /** With a checkpoint as origin: what its run had spent and met. A fork starts from zero. */
  readonly carried?: Carried
}

/**
 * Digests of what a run depends on besides its files, such as `issues` or `tick`. A change of one of them makes
 * an attempt a new one.
 */
export type OutsideDigests = { readonly [name: string]: string }

/** One tick of a schedule. */
export interface ScheduledTick {
  readonly name: string
  /** Unique for the schedule: what made it due, such as `time:1767254400000`. */
  readonly tick: string
}

export interface RunStarted {
  readonly type: 'run-started'
  readonly owner: string
  readonly fence: number
  /** Absent: the caller did not report it. */
  readonly sandbox?: SandboxSummary
  readonly agent?: AgentInfo
  /** In their order. Absent: there are none, or an earlier version wrote the event. */
  readonly checks?: readonly CheckDescription[]
  /** Absent: no policy applies. */
  readonly policy?: PolicyInEffect
  /** Absent: 2, or an earlier version wrote the event. */
  readonly level?: Level
  /** What the loop seals besides the defaults. Absent: nothing. */
  readonly seals?: RunSeals
}

/** Preflight starts a check, or installs the dependencies if no check is named. */
export interface PreflightNoted {
  readonly type: 'preflight-noted'
  readonly check?: string
}

export interface PreflightEnded extends Preflight {
  readonly type: 'preflight-ended'
}

/** The results before the first iteration. */
export interface Preflight {
  readonly checks: readonly PreflightCheck[]
  /** Why the run cannot succeed; the run ends with this fault. */
  readonly fault?: Fault
}

/** The result of a check on the base. */
export interface PreflightCheck {
  readonly check: string
  /** `unknown`: it was not run, for example a judge, which costs money. */
  readonly answer: 'fails' | 'passes' | 'cannot-run' | 'timeout' | 'unknown'
  readonly durationMs: number
  /** The result is known from an earlier run. */
  readonly known?: true
  /** Why it cannot run, and what to do. */
  readonly detail?: string
}

export interface Carried {
  readonly spent: Amount
  readonly activeMs: number
  readonly unchanged: number
  readonly errors: { readonly signature: string; readonly times: number }
  readonly evidence: { readonly [check: string]: Evidence }
}

export interface IterationStarted {
  readonly type: 'iteration-started'
  readonly iteration: number
  /** Continued after an interruption, a rate limit or a crash: its steps are replayed. */
  readonly again?: true
  /** The loop's code, if it differs from the code at the start of the run. */
  readonly codeDigest?: string
  readonly tree?: TreeId
}

export interface IterationEnded {
  readonly type: 'iteration-ended'
  readonly iteration: number
  readonly ending: Ending
  readonly progress?: Patch
  /** What the engine measured. Absent: the loop's code failed, or an earlier version wrote the event. */
  readonly measure?: IterationMeasure
  /** A person was asked because of these triggers. */
  readonly escalated?: Escalated
}

interface StepEvent {
  readonly iteration: number
  readonly step: StepId
  readonly attempt: number
}

/** The kind and role of a step. `readStep` reads them, and derives them for journals that lack them. */
export interface DescribedStep extends StepEvent {
  /** Absent: a plain step. */
  readonly kind?: StepKind
  /**
   * The role of an agent, or the name of a tool, check, question, gate, action, wait or artifact. Of a plain step:
   * what its loop type uses it for, such as `prompt`. Absent: only its result is used.
   */
  readonly role?: string
}

export interface StepStarted extends DescribedStep {
  readonly type: 'step-started'
  /** The tree it starts on, for steps that may change files. */
  readonly tree?: TreeId
  readonly reserved?: Amount
  /** A call of an agent that counts. Absent: a repetition of one, or a call that a limit does not allow. */
  readonly call?: true
  readonly wakeAtMs?: number
  readonly question?: Question
  /** Idempotency key of an action. */
  readonly key?: string
  /** E8. Covers everything that the agent receives; an attempt with the same fingerprint is not repeated. */
  readonly fingerprint?: string
  /** What is to be certified: unchanged if the iteration is continued later. */
  readonly claim?: Claim
}

/** A condition that means success is met. */
export interface Claim {
  readonly met: Met
  /** The checks that it is based on. Empty: only the loop's own code says so. */
  readonly checks: readonly string[]
  readonly tree?: TreeId
}

export interface StepFinished extends DescribedStep {
  readonly type: 'step-finished'
  readonly result?: Stored
  readonly spent?: Amount
  readonly tree?: TreeId
  readonly evidence?: Evidence & { readonly check: string }
  /** E8. Present if the attempt counts: the agent ended by itself. */
  readonly fingerprint?: string
  /** E5. Certifies the work up to here, for exactly these files. */
  readonly certificate?: Certified
  /** Checks that a person allowed to keep failing as they did before the run. */
  readonly allows?: readonly string[]
}

export interface Certified {
  readonly id: CertificateId
  /** Absent if the run has no workspace. */
  readonly tree?: TreeId
}

export interface StepFailed extends StepEvent {
  readonly type: 'step-failed'
  readonly fault: Fault
  readonly spent?: Amount
  /** With `spent`: the role of the agent that spent it. Absent: no agent. */
  readonly role?: string
  readonly tree?: TreeId
  /** When it is retried. Absent: the fault was thrown to the loop. */
  readonly retryAtMs?: number
}

/** Stopped before it had a result. On resume it runs again, from the tree it started on. */
export interface StepInterrupted extends StepEvent {
  readonly type: 'step-interrupted'
  readonly spent?: Amount
  /** With `spent`: the role of the agent that spent it. Absent: no agent. */
  readonly role?: string
}

/** Something worth showing inside a step: an agent's turn, a tool call. Nothing depends on it. */
export interface StepNoted {
  readonly type: 'step-noted'
  readonly iteration: number
  readonly step: StepId
  /** The agent it comes from, if several work in one step: `consult:security`. */
  readonly role?: string
  readonly note: StepNote
}

export interface BudgetReserved {
  readonly type: 'budget-reserved'
  readonly id: ReservationId
  readonly iteration: number
  readonly step: StepId
  /** The role of the agent that spends it. Absent: no agent, or an earlier version wrote the event. */
  readonly role?: string
  readonly worst: Amount
}

export interface DecisionApplied {
  readonly type: 'decision-applied'
  readonly id: number
  readonly by: string
  /** The name that the request claimed, if it differs. */
  readonly claimedBy?: string
  readonly decision: Decision
}

/** The run returns to the state after an earlier iteration. What was spent since stays spent. */
export interface RunRewound {
  readonly type: 'run-rewound'
  readonly toIteration: number
  readonly progress?: Json
  readonly tree?: TreeId
}

/**
 * Files differ from what the journal expects: changed while the run was not active, left by an
 * unfinished step or attempt, or changed while a check ran. A snapshot of what was found is kept.
 */
export interface WorkspaceChanged {
  readonly type: 'workspace-changed'
  readonly why: 'changed-outside' | 'unfinished-step' | 'during-check' | 'restored' | 'base-moved'
  readonly found: TreeId
  readonly tree: TreeId
  /** How many files are restored. Absent: unknown. */
  readonly files?: number
  /** For `base-moved`: what the files are compared with from now on, and the commit with it. */
  readonly base?: TreeId
  readonly follows?: string
}

export type EventType = RunEvent['type']

/** An event with its position: gapless `seq` within the run, `position` in the store. */
export interface RecordedEvent {
  readonly run: RunId
  readonly seq: number
  readonly position: number
  readonly atMs: number
  readonly event: RunEvent
}
