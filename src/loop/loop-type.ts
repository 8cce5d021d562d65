/**
 * What a loop is. A loop type defines one iteration; the engine does the rest.
 *
 * E3. `createContext` sees the input and the previous progress; nothing else is passed between iterations.
 */

import type { Action, ActOptions, Judged, JudgeOptions, Receipt } from './authority/action.ts'
import type { Guidance } from './authority/guidance.ts'
import type { Amount, Remaining } from './budget.ts'
import type { Condition } from './condition.ts'
import type { CheckResult, Findings, Refusal } from './evidence.ts'
import type { BlobId, CertificateId, StepId, TreeId } from './ids.ts'
import type { Json } from './json.ts'
import type { Answer, Question } from './question.ts'
import type { RetryPolicy } from './retry.ts'
import type { RoleAppearances } from './role-appearance.ts'
import type { Signal } from './signal.ts'
import type { CommandReport, CommandTask } from './step/command-task.ts'
import type { AgentNote, Exchanged } from './step/step-note.ts'
import type { TodoList } from './step/todo-list.ts'

/** What one iteration of a loop does, and when the loop ends. */
export interface LoopType<Input, Context, Progress, Result> {
  readonly name: string
  /** Change it when code outside of these functions changes. */
  readonly version?: string
  /**
   * Increase it when an iteration takes other steps than before. If it is set, the source text of the
   * functions does not count: an iteration that was interrupted continues after other changes to them.
   */
  readonly revision?: number
  /** Called for each iteration; sees nothing but its arguments. */
  createContext(input: Input, previous: Progress | undefined): Context
  /** One iteration. Causes effects only through `it`. */
  iterate(context: Context, it: Iteration): Promise<Result>
  /** Pure: it may be called twice, the second time with the reasons why the work was not certified. */
  extractProgress(result: Result, previous: Progress | undefined, findings: Findings): Progress
  /** Each of these ends the run when it is met, as do the limits. */
  readonly until?: readonly Condition<Progress, Result>[]
  /** The registered loop type that it is of. Kept with the run; default: `plain`, or code. */
  readonly type?: string
  /** How its agents appear to people. Kept with the run; default: `maker` reports, as `impl`. */
  readonly roles?: RoleAppearances
  /** When the worktree of a run stays: always, or only if the run changed something or failed. Default: always. */
  readonly keepsWorktree?: 'always' | 'if-changed'
}

/** The interface of an iteration. Each call is a journaled step: performed once, its result stored. */
export interface Iteration {
  readonly number: number
  /** Aborts when the run is cancelled, paused or shut down, or reaches its time limit. */
  readonly signal: Signal
  readonly workspace: IterationWorkspace | undefined
  readonly budget: { remaining(): Remaining }
  /** Checks that failed on the base. Absent: unknown. */
  readonly failedBefore?: readonly string[]
  /**
   * What people told the run before this iteration and no agent received yet. Taking it records that it is delivered, so
   * put it into the prompt. The same each time that the iteration is continued.
   */
  guidance(): Promise<readonly Guidance[]>
  step<T>(
    name: string,
    run: (context: StepContext) => T | Promise<T>,
    options?: StepOptions,
  ): Promise<T>
  /** Runs branches in parallel, each with a separate `Iteration`. Waits for all of them. */
  parallel<B extends Branches>(branches: B): Promise<BranchResults<B>>
  agent(role: string, task: AgentTask, options?: StepOptions): Promise<AgentReport>
  tool(name: string, args: Json, options?: StepOptions): Promise<ToolResult>
  /** Runs checks. Without names: all checks of the run. */
  check(names?: readonly string[]): Promise<readonly CheckResult[]>
  ask(name: string, question: Question): Promise<Answer>
  act(action: Action, options?: ActOptions): Promise<Receipt>
  /** Asks the policy and the gate about an action, without performing it: also at level 1, where `act` refuses it. */
  judge(action: Action, options?: JudgeOptions): Promise<Judged>
  /**
   * Has the current files certified by these checks. Without names: all checks of the run. A loop that does so completes
   * by a condition with `certified: 'by-loop'`. Without checks or without changed files there is nothing to certify.
   */
  certify(checks?: readonly string[]): Promise<CertifiedFiles>
  sleep(name: string, ms: number): Promise<void>
  /**
   * Runs a command in a copy of the workspace, in the sandbox. It changes no file of the workspace, so commands may run in
   * parallel.
   */
  command(name: string, task: CommandTask, options?: StepOptions): Promise<CommandReport>
  /** Stores content of any size by its hash. */
  artifact(name: string, content: ArtifactContent): Promise<ArtifactRef>
}

/** The result of `certify`. */
export type CertifiedFiles =
  | { readonly type: 'certified'; readonly certificate: CertificateId }
  | { readonly type: 'refused'; readonly refusals: readonly Refusal[] }

/** The folder that an iteration works in. */
export interface IterationWorkspace {
  readonly path: string
  /** The current files. */
  readonly tree: TreeId
  /** Paths that differ between an earlier tree and the current files; at most a thousand. */
  changedSince(tree: TreeId): Promise<readonly string[]>
  /** The same as a patch; cut off at 200,000 bytes. */
  patchSince(tree: TreeId): Promise<string>
  /** A text file by its path from the root, at most 4 MB. Undefined: there is none, or only a symlink to one. */
  read(path: string): Promise<string | undefined>
  /**
   * Writes a text file, with its folders. Never through a symlink. Only inside of a step that may change files.
   * `force`: folders, links and other files that are in the way are replaced; otherwise it rejects.
   */
  write(path: string, text: string, options?: { readonly force?: boolean }): Promise<void>
  /** Restores the files of an earlier tree. Only inside of a step that may change files. */
  restore(tree: TreeId): Promise<void>
  /** The work of the run so far. Undefined: not a git worktree. */
  git(): Promise<GitSummary | undefined>
}

/** The work of a run so far, as text of a limited size. */
export interface GitSummary {
  /** The files that differ from the base, one per line. */
  readonly status: string
  /** The patch from the base to the current files. */
  readonly diff: string
  /** The newest commits of the run's branch, one per line. */
  readonly log: string
}

export type Branches = { readonly [name: string]: (it: Iteration) => Promise<unknown> }
export type BranchResults<B extends Branches> = {
  readonly [Name in keyof B]: Awaited<ReturnType<B[Name]>>
}

/** Options of a step. */
export interface StepOptions {
  readonly timeoutMs?: number
  readonly retry?: Partial<RetryPolicy>
  /** The most that the step can spend, reserved before it starts. */
  readonly reserve?: Amount
  /** It does not change files of the workspace, so it may run in parallel with other steps. */
  readonly readOnly?: boolean
  /** Of an agent: which tools it sees and may call. Default: all of them. */
  readonly tools?: ToolLimits
  /**
   * Of a plain step: what its loop type uses it for. Run folders and displays show the result of `prompt` as the
   * agent's prompt, and that of `changes` as the files that the iteration changed. That of `panels` is a list of panels
   * for the page of the run (docs/extending.md); the last one counts.
   */
  readonly role?: string
}

/** The tools of an agent. Those that are not listed at all are what the loop file or the ports offer. */
export interface ToolLimits {
  /** Of these only. Absent: of all. */
  readonly only?: readonly string[]
  /** Never these. */
  readonly deny?: readonly string[]
  /** These, whatever their risk. */
  readonly allow?: readonly string[]
  /** Otherwise only those with one of these risks. Absent: every risk. */
  readonly risks?: readonly Risk[]
}

/** The argument of a step's code. */
export interface StepContext {
  readonly signal: Signal
  readonly attempt: number
  /** Reports what this step has really spent; charged when it ends, also after a failure. */
  readonly spend: (amount: Amount) => void
  /** Durably reserves the worst case of one more call, before the call is made. */
  readonly reserve: (worst: Amount) => Promise<Reservation>
}

/** The context of a tool call. */
export interface ToolContext extends StepContext {
  readonly iteration: number
  /** The folder to work in. */
  readonly workspace: string | undefined
}

/** The context of an agent. Tool calls and turns that go through it are journaled and measured. */
export interface AgentContext extends ToolContext {
  /** The step that it works in. */
  readonly step: StepId
  /** What the run may still spend now. */
  remaining(): Remaining
  tools(): Promise<readonly ToolDescription[]>
  /** Calls hooks and notes the call. Rejects only if the run is stopped or a hook refuses. */
  callTool(name: string, args: Json): Promise<ToolResult>
  /** Shows something to people who watch. Nothing depends on it. */
  note(note: AgentNote): void
  /** What people tell it while it works. Absent: it cannot be told anything. */
  readonly guidance?: AgentGuidance
  /** Journals an exchange with a model. Absent: exchanges are not stored. */
  keepExchange?(exchange: StoredExchange): Promise<void>
  /** Journals the prompt that was sent, if it is more than the prompt of the task. */
  keepPrompt?(prompt: string): Promise<void>
}

/** What people tell an agent while it works. */
export interface AgentGuidance {
  /** How much waits for it. */
  readonly waiting: number
  /** Records that this agent receives it, and returns it. */
  take(): Promise<readonly Guidance[]>
}

/** One request to a model and its response, as the gateway saw them. */
export interface StoredExchange extends Exchanged {
  /** Request and response, without secrets. */
  readonly content: Uint8Array
}

/** An amount that is reserved until it is settled. */
export interface Reservation {
  settle(spent: Amount): Promise<void>
}

/** The work that an iteration gives to an agent. */
export interface AgentTask {
  readonly prompt: string
  /**
   * E8. What makes an attempt with this task the same, instead of the prompt: leave out what changes by itself, such as
   * notes about earlier attempts. Default: the prompt.
   */
  readonly basis?: string
  readonly settings?: { readonly [key: string]: Json }
}

/** What an agent reports. It is a claim; only checks can confirm it. */
export interface AgentReport {
  readonly status: 'done' | 'done-with-concerns' | 'blocked' | 'needs-context' | 'failed'
  readonly text: string
  readonly usage: Amount
  readonly turns: number
  /** How its work ended, if that was observed and not only claimed. */
  readonly ended?: AgentEnd
  /** The last todo list that it reported, as the engine saw it. */
  readonly todo?: TodoList
  /** The engine stopped it before it changed this file: it would have been one file too many. */
  readonly refusedFile?: string
}

/**
 * `claimed`: it reported that it is done. `no-result`: it ended without reporting a result. `idle`: it was
 * silent for too long and was stopped; `lingered`: it reported its result but did not exit and was stopped.
 * `limit`: it reached its own limit of turns or money. `refused`: something it wanted to do was not
 * allowed. `provider`: its model failed. `interrupted`: by a signal. `crashed`: it failed in any other
 * way. `time`: it took too long.
 */
export type AgentEnd =
  | 'claimed'
  | 'no-result'
  | 'idle'
  | 'lingered'
  | 'limit'
  | 'refused'
  | 'provider'
  | 'interrupted'
  | 'crashed'
  | 'time'

/** What a tool may affect, from harmless to dangerous. */
export type Risk = 'read-only' | 'idempotent' | 'network' | 'destructive'

/** A tool as its caller sees it. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments: an object. */
  readonly parameters: { readonly [key: string]: Json }
  readonly risk: Risk
}

/** The result of a call. A failure is data for the caller, never an exception. */
export interface ToolResult {
  readonly ok: boolean
  readonly output: Json
  /** Why it failed, as a stable key: `outside-workspace`, `bad-arguments`, `timeout`… */
  readonly error?: string
  /** Where the full output is, if `output` is only a part. */
  readonly spilled?: { readonly file: string; readonly bytes: number }
}

export type ArtifactContent = string | Uint8Array | AsyncIterable<Uint8Array>

export interface ArtifactRef {
  readonly name: string
  readonly blob: BlobId
  readonly bytes: number
}
