/**
 * What a loop is. A loop type says what one trip around does; the engine does the rest.
 *
 * E3. `createContext` sees the input and the previous progress, and nothing else crosses.
 */

import type { Amount, Remaining } from './budget.ts'
import type { Condition } from './condition.ts'
import type { CheckResult, Findings } from './evidence.ts'
import type { BlobId, StepId, TreeId } from './ids.ts'
import type { Json } from './json.ts'
import type { Answer, Question } from './question.ts'
import type { RetryPolicy } from './retry.ts'
import type { RoleAppearances } from './role-appearance.ts'
import type { Signal } from './signal.ts'
import type { AgentNote, Exchanged } from './step-note.ts'

/** What one iteration of a loop does, and when the loop ends. */
export interface LoopType<Input, Context, Progress, Result> {
  readonly name: string
  /** Say it yourself when code that is not in these functions changes. */
  readonly version?: string
  /** Fresh each time: sees nothing but these. */
  createContext(input: Input, previous: Progress | undefined): Context
  /** One trip around. Effects only through `it`. */
  iterate(context: Context, it: Iteration): Promise<Result>
  /** Pure: it may be asked twice, the second time with why the work was not certified. */
  extractProgress(result: Result, previous: Progress | undefined, findings: Findings): Progress
  /** Any of these ends the run, besides its limits. */
  readonly until?: readonly Condition<Progress, Result>[]
  /** The registered loop type that it is of. Kept with the run; default: `plain`, or code. */
  readonly type?: string
  /** How its agents appear to people. Kept with the run; default: `maker` reports, as `impl`. */
  readonly roles?: RoleAppearances
}

/** What an iteration works through. Each call is a journaled step: done once, kept. */
export interface Iteration {
  readonly number: number
  /** Aborts when the run is cancelled, paused or shut down, or its time is over. */
  readonly signal: Signal
  readonly workspace: IterationWorkspace | undefined
  readonly budget: { remaining(): Remaining }
  /** Checks that failed on the files that the run began with. Absent: unknown. */
  readonly failedBefore?: readonly string[]
  step<T>(
    name: string,
    run: (context: StepContext) => T | Promise<T>,
    options?: StepOptions,
  ): Promise<T>
  /** Runs branches side by side; each gets an iteration of its own. Waits for all of them. */
  parallel<B extends Branches>(branches: B): Promise<BranchResults<B>>
  agent(role: string, task: AgentTask, options?: StepOptions): Promise<AgentReport>
  tool(name: string, args: Json, options?: StepOptions): Promise<ToolResult>
  /** Runs checks; without names all that the run has. */
  check(names?: readonly string[]): Promise<readonly CheckResult[]>
  ask(name: string, question: Question): Promise<Answer>
  act(action: Action): Promise<Receipt>
  sleep(name: string, ms: number): Promise<void>
  /** Keeps content by its hash, of any size. */
  artifact(name: string, content: ArtifactContent): Promise<ArtifactRef>
}

/** The folder that an iteration works in. */
export interface IterationWorkspace {
  readonly path: string
  /** The files as they are now. */
  readonly tree: TreeId
  /** Paths that differ between a tree of before and the files now; at most a thousand of them. */
  changedSince(tree: TreeId): Promise<readonly string[]>
}

export type Branches = { readonly [name: string]: (it: Iteration) => Promise<unknown> }
export type BranchResults<B extends Branches> = {
  readonly [Name in keyof B]: Awaited<ReturnType<B[Name]>>
}

/** Options of a step. */
export interface StepOptions {
  readonly timeoutMs?: number
  readonly retry?: Partial<RetryPolicy>
  /** Worst case of what the step spends, reserved before it starts. */
  readonly reserve?: Amount
  /** It changes no files of the workspace, so it may run beside others. */
  readonly readOnly?: boolean
  /**
   * Of a plain step: what its loop type uses it for. Run folders and displays show the result of `prompt` as the
   * agent's prompt, and that of `changes` as the files that the iteration changed.
   */
  readonly role?: string
}

/** What the code of a step is given. */
export interface StepContext {
  readonly signal: Signal
  readonly attempt: number
  /** What this step really spent so far; charged when it ends, however it ends. */
  readonly spend: (amount: Amount) => void
  /** Reserves a worst case for one more call, durably, before it is made. */
  readonly reserve: (worst: Amount) => Promise<Reservation>
}

/** What the code behind a tool is given. */
export interface ToolContext extends StepContext {
  readonly iteration: number
  /** The folder to work in. */
  readonly workspace: string | undefined
}

/** What an agent is given. Its tool calls and turns are on record through it, and in the metrics. */
export interface AgentContext extends ToolContext {
  /** The step that it works in. */
  readonly step: StepId
  /** What the run has left at this moment. */
  remaining(): Remaining
  tools(): Promise<readonly ToolDescription[]>
  /** Hooks are told; the call is noted. Rejects only when the run is stopped or a hook refuses. */
  callTool(name: string, args: Json): Promise<ToolResult>
  /** Tells those who watch. Nothing depends on it. */
  note(note: AgentNote): void
  /** Puts an exchange with a model on record. Absent where nothing of that kind is kept. */
  keepExchange?(exchange: KeptExchange): Promise<void>
  /** Records what the agent was really sent, where that is not the task's prompt alone. */
  keepPrompt?(prompt: string): Promise<void>
}

/** One question to a model and its answer, as the gateway saw them. */
export interface KeptExchange extends Exchanged {
  /** What was asked and answered, without secrets. */
  readonly content: Uint8Array
}

export interface Reservation {
  settle(spent: Amount): Promise<void>
}

/** The work that an iteration gives to an agent. */
export interface AgentTask {
  readonly prompt: string
  readonly settings?: { readonly [key: string]: Json }
}

/** What an agent says. It is a claim; only checks make it true. */
export interface AgentReport {
  readonly status: 'done' | 'done-with-concerns' | 'blocked' | 'needs-context' | 'failed'
  readonly text: string
  readonly usage: Amount
  readonly turns: number
  /** How its work came to an end, where that was seen from outside and not only said. */
  readonly ended?: AgentEnd
}

/**
 * `claimed`: it says that it is done. `no-result`: it ended and said nothing of a result. `idle`: it was
 * silent too long and was ended; `lingered`: it had its result and had to be ended. `limit`: its own limit
 * of turns or money. `refused`: something that it wanted to do was not allowed. `provider`: its model
 * failed. `interrupted`: by a signal. `crashed`: it failed in any other way. `time`: it took too long.
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

/** What a tool may do to the world, from harmless to not. */
export type Risk = 'read-only' | 'idempotent' | 'network' | 'destructive'

/** A tool as whoever calls it sees it. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments: an object. */
  readonly parameters: { readonly [key: string]: Json }
  readonly risk: Risk
}

/** What came of a call. A failure is data for whoever called, never an exception. */
export interface ToolResult {
  readonly ok: boolean
  readonly output: Json
  /** Why it failed, as a stable key: `outside-workspace`, `bad-arguments`, `timeout`… */
  readonly error?: string
  /** Where all of it is, when `output` is only a part. */
  readonly spilled?: { readonly file: string; readonly bytes: number }
}

/** Something that changes the world outside the workspace. */
export interface Action {
  readonly kind: string
  readonly summary: string
  readonly details?: Json
}

/** What an action did. */
export interface Receipt {
  readonly status: 'done' | 'refused' | 'skipped'
  readonly summary: string
  readonly details?: Json
}

export type ArtifactContent = string | Uint8Array | AsyncIterable<Uint8Array>

export interface ArtifactRef {
  readonly name: string
  readonly blob: BlobId
  readonly bytes: number
}
