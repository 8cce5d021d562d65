/**
 * Everything that can be observed about a run: one closed union. State is a fold over it.
 *
 *   run-created
 *   run-started                          a process took the run (again after each stop or crash)
 *   ├─ preflight-noted, -ended           the checks on the base, once, before anything is spent
 *   ├─ iteration-started 1
 *   │  ├─ step-started plan#1            durable before the step does anything
 *   │  ├─ step-finished plan#1           durable before anything depends on it (E1)
 *   │  ├─ step-started test#1
 *   │  ├─ step-failed test#1             with retryAtMs: tried again; without: thrown to the loop
 *   │  ├─ …
 *   │  ├─ step-finished check:test#1     the engine's own, where the loop left one out
 *   │  └─ step-finished certify:…#1      once a condition is met: with a certificate, or refused (E5)
 *   ├─ iteration-ended 1                 carries progress; this is the checkpoint
 *   ├─ decision-applied                  what a person decided, once (E11)
 *   ├─ run-suspended                     stopped in good order, can be resumed
 *   └─ run-ended                         exactly one outcome
 */

import type { Amount, Limits } from './budget.ts'
import type { Decision } from './decision.ts'
import type { CheckDescription, Evidence } from './evidence.ts'
import type { Fault } from './fault.ts'
import type { BlobId, CertificateId, ReservationId, RunId, StepId, TreeId } from './ids.ts'
import type { Json } from './json.ts'
import type { Earlier, LimitName, Outcome } from './outcome.ts'
import type { Patch } from './patch.ts'
import type { Question } from './question.ts'
import type { RoleAppearances } from './role-appearance.ts'
import type { StepKind } from './step-kind.ts'
import type { StepNote } from './step-note.ts'

/** Raised when the meaning of an event changes; a run records the version it was written with. */
export const eventVersion = 1

/** A value in the journal: in the row, or in a blob when it is large. Absent: undefined. */
export type Stored = { readonly value: Json } | { readonly blob: BlobId; readonly bytes: number }

/** Where a run began, when it did not begin empty. */
export type Origin =
  | { readonly type: 'fork'; readonly run: RunId; readonly iteration: number }
  | { readonly type: 'checkpoint'; readonly checkpoint: string; readonly iteration: number }
  /** The same again, with the answers that are on record. */
  | { readonly type: 'replay'; readonly run: RunId; readonly iteration: number }

/** A loop file, and what it said when the run was created. */
export interface Source {
  readonly file: string
  readonly digest: string
  /** What was put in the place of the file's own. */
  readonly changes?: {
    readonly model?: string
    readonly prompt?: string
    readonly dependencies?: 'install' | 'resolve' | 'carry' | 'none'
    /** Commands that must pass besides the checks of the file. */
    readonly checks?: { readonly commands: readonly string[]; readonly timeoutMs?: number }
  }
}

/** The git worktree that a run works in, and by what it is found again. */
export interface RunWorktree {
  /** The git directory of the repository, which all of its worktrees share. */
  readonly repository: string
  /** What it is known by there. */
  readonly key: string
  readonly branch: string
  /** What the branch began from. */
  readonly base: { readonly name: string; readonly commit: string }
  /** The folder in it that commands start in, from its top. Absent: the top itself. */
  readonly folder?: string
  /** Ignored files of the checkout that are in it too. Absent: none. */
  readonly carried?: CarriedFiles
}

/** Paths from the top; of very many, the first. */
export interface CarriedFiles {
  readonly copied: readonly string[]
  readonly linked: readonly string[]
}

/** The walls around what a run starts, as they were when a process took it. */
export interface Walls {
  readonly tier: 'strong' | 'basic' | 'none'
  /** What holds all that a command starts, or each of its processes, to its limits. */
  readonly limits: 'cgroup' | 'rlimit' | 'none'
  /** Somebody watched. */
  readonly attended: boolean
}

/** Who works in a run, as far as it was known when a process took it. */
export interface AgentUsed {
  /** A program, a model, or a kind of agent. */
  readonly name: string
  /** As its package or the program itself says; absent where nobody does. */
  readonly version?: string
  /** How it is talked to, where there are several ways. */
  readonly protocol?: 'headless' | 'acp'
}

export type Met = {
  readonly condition: string
  readonly ends: 'completed' | 'exhausted' | 'stuck'
  /** Where it ends as exhausted: what is used up. Absent in earlier journals: see `readLimit`. */
  readonly limit?: LimitName
  readonly detail?: string
  /** Another run did this work before: its certificate was verified again. */
  readonly earlier?: Earlier
}

/** How one trip around ended. */
export type Ending =
  | { readonly type: 'continue' }
  | { readonly type: 'complete'; readonly met: Met }
  /** Waits for the provider's window and enters the same iteration again; it is not counted. */
  | { readonly type: 'rate-limited'; readonly retryAtMs: number; readonly message: string }
  /** Entered again on resume; it is not counted. */
  | { readonly type: 'interrupted'; readonly reason: string }
  | {
      readonly type: 'error'
      readonly fault: Fault
      readonly recoverable: boolean
      readonly met?: Met
    }

/** Everything that can happen in a run. Its state is computed from its events. */
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
  | { readonly type: 'warning'; readonly code: string; readonly message: string }

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
  /** The file that the loop came from, if it came from one. */
  readonly source?: Source
  /** Absent: it works in a folder as it is, or in none. */
  readonly worktree?: RunWorktree
  /** The folder that it works in was no repository: one that is there later may be the work of its agent. */
  readonly withoutGit?: true
  /** A repeat of what was tried, which somebody asked for. No two have the same number. */
  readonly repeat?: number
  readonly origin?: Origin
  /** With an origin: what the earlier iterations left. */
  readonly progress?: Json
  readonly iteration?: number
  readonly tree?: TreeId
  /** With an origin: the files as they were before the first iteration of all, where they are known. */
  readonly baseTree?: TreeId
  /** With an origin: what the checks said about those files. */
  readonly preflight?: Pick<Preflight, 'checks'>
  /** With a checkpoint as origin: what its run had spent and met. A fork begins anew. */
  readonly carried?: Carried
}

export interface RunStarted {
  readonly type: 'run-started'
  readonly owner: string
  readonly fence: number
  /** Absent: whoever started the run has not said. */
  readonly sandbox?: Walls
  readonly agent?: AgentUsed
  /** In their order. Absent: it has none, or this was not recorded yet. */
  readonly checks?: readonly CheckDescription[]
}

/** Preflight begins with something: a check, or the dependencies where no check is named. */
export interface PreflightNoted {
  readonly type: 'preflight-noted'
  readonly check?: string
}

export interface PreflightEnded extends Preflight {
  readonly type: 'preflight-ended'
}

/** What was found before the first iteration. */
export interface Preflight {
  readonly checks: readonly PreflightCheck[]
  /** Why the run cannot succeed: it ends with this. */
  readonly fault?: Fault
}

/** What a check says about the files that the run begins with. */
export interface PreflightCheck {
  readonly check: string
  /** `unknown`: it was not tried, such as a judge, which costs money. */
  readonly answer: 'fails' | 'passes' | 'cannot-run' | 'timeout' | 'unknown'
  readonly durationMs: number
  /** The answer was known from an earlier run. */
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
  /** Entered again after an interruption, a rate limit or a crash: its steps are replayed. */
  readonly again?: true
  /** The loop's code, where it is another than at the start of the run. */
  readonly codeDigest?: string
  readonly tree?: TreeId
}

export interface IterationEnded {
  readonly type: 'iteration-ended'
  readonly iteration: number
  readonly ending: Ending
  readonly progress?: Patch
}

interface StepEvent {
  readonly iteration: number
  readonly step: StepId
  readonly attempt: number
}

/** What a step is, as data. `readStep` reads it, and derives it for journals that lack it. */
export interface DescribedStep extends StepEvent {
  /** Absent: a plain step. */
  readonly kind?: StepKind
  /**
   * The role of an agent, or the name of a tool, check, question, gate, action, wait or artifact. Of a plain step:
   * what its loop type uses it for, such as `prompt`. Absent: it has no other use than its result.
   */
  readonly role?: string
}

export interface StepStarted extends DescribedStep {
  readonly type: 'step-started'
  /** The tree it starts on, for steps that may change files. */
  readonly tree?: TreeId
  readonly reserved?: Amount
  readonly wakeAtMs?: number
  readonly question?: Question
  /** Idempotency key of an action. */
  readonly key?: string
  /** E8. Of all that an agent is given; what was tried with the same one is not tried again. */
  readonly fingerprint?: string
  /** What is to be certified: as it was found, also when the iteration is entered again. */
  readonly claim?: Claim
}

/** A condition that means success is met. */
export interface Claim {
  readonly met: Met
  /** The checks that it rests on; none: the code of the loop says so. */
  readonly checks: readonly string[]
  readonly tree?: TreeId
}

export interface StepFinished extends DescribedStep {
  readonly type: 'step-finished'
  readonly result?: Stored
  readonly spent?: Amount
  readonly tree?: TreeId
  readonly evidence?: Evidence & { readonly check: string }
  /** E8. It counts as tried: the agent came to an end of its own. */
  readonly fingerprint?: string
  /** E5. What the work up to here may be called complete by, on these very files. */
  readonly certificate?: Certified
  /** Checks that may keep failing as they did before the run began: a person was asked. */
  readonly allows?: readonly string[]
}

export interface Certified {
  readonly id: CertificateId
  /** Absent where the run has no workspace. */
  readonly tree?: TreeId
}

export interface StepFailed extends StepEvent {
  readonly type: 'step-failed'
  readonly fault: Fault
  readonly spent?: Amount
  readonly tree?: TreeId
  /** When it is tried again. Absent: the fault was handed to the loop. */
  readonly retryAtMs?: number
}

/** Stopped before it had a result; it runs again on resume, from the tree it started on. */
export interface StepInterrupted extends StepEvent {
  readonly type: 'step-interrupted'
  readonly spent?: Amount
}

/** Something worth seeing inside a step: a turn of an agent, a call of a tool. Nothing waits for it. */
export interface StepNoted {
  readonly type: 'step-noted'
  readonly iteration: number
  readonly step: StepId
  /** Whose it is, where one step has several at work: `consult:security`. */
  readonly role?: string
  readonly note: StepNote
}

export interface BudgetReserved {
  readonly type: 'budget-reserved'
  readonly id: ReservationId
  readonly iteration: number
  readonly step: StepId
  readonly worst: Amount
}

export interface DecisionApplied {
  readonly type: 'decision-applied'
  readonly id: number
  readonly by: string
  readonly decision: Decision
}

/** Back to the state after an earlier iteration. What was spent since stays spent. */
export interface RunRewound {
  readonly type: 'run-rewound'
  readonly toIteration: number
  readonly progress?: Json
  readonly tree?: TreeId
}

/**
 * Files are not what the record expects: changed while the run was not at work, left behind by an
 * unfinished step or attempt, or changed while a check ran. What was found is kept.
 */
export interface WorkspaceChanged {
  readonly type: 'workspace-changed'
  readonly why: 'changed-outside' | 'unfinished-step' | 'during-check' | 'restored'
  readonly found: TreeId
  readonly tree: TreeId
  /** How many files are put back, where somebody can tell. */
  readonly files?: number
}

export type EventType = RunEvent['type']

/** An event with its place: gapless `seq` within the run, `position` in the store. */
export interface RecordedEvent {
  readonly run: RunId
  readonly seq: number
  readonly position: number
  readonly atMs: number
  readonly event: RunEvent
}
