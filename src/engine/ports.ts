/**
 * The outside world as the engine sees it, and all that the parts below see of each other.
 * Adapters fill these; tests fake them. Every method that waits takes a signal or has a limit.
 */

import type { ChildProcess } from 'node:child_process'
import type {
  Action,
  AgentContext,
  AgentReport,
  AgentTask,
  BlobId,
  CheckKind,
  CheckResult,
  Earlier,
  Json,
  LoopType,
  Preflight,
  Receipt,
  RunId,
  Signal,
  StandardCondition,
  StepContext,
  StepId,
  ToolContext,
  ToolDescription,
  ToolResult,
  TreeId,
} from '../loop/index.ts'
import type { Certifier } from './certifier.ts'
import type { Hook } from './hook.ts'
import type { Blobs, Journal } from './store/index.ts'

export type { Blobs, Journal, Lease, Owner, Tried } from './store/index.ts'

/** Time and chance. The simulator has its own. */
export interface Clock {
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: Signal): Promise<void>
  /** Resolves after everything that is ready to run has run. */
  turn(): Promise<void>
  /** In [0, 1). */
  random(): number
}

/** Where an iteration works. */
export interface Workspace {
  readonly path: string
  /** False when there is no such directory. */
  exists(): Promise<boolean>
  /** Hash of all files as they are now; their content is kept. */
  snapshot(): Promise<TreeId>
  /** Makes the files be what they were. */
  restore(tree: TreeId): Promise<void>
  /** Paths that differ between two trees. Absent: nobody can tell. */
  changes?(before: TreeId, after: TreeId): Promise<readonly string[]>
  /** The same for those who read; cut off at `bytesMax`. Absent: nobody can tell. */
  patch?(before: TreeId, after: TreeId, bytesMax?: number): Promise<string>
  /**
   * What an iteration left is put where people look for it, such as a branch. Called before its end is
   * recorded, so that a crash can only call it again; done again, it changes nothing.
   */
  keep?(work: IterationWork): Promise<Kept | undefined>
}

/** What an iteration left, as it was put down. */
export interface Kept {
  readonly commit?: string
}

/** What an iteration left. */
export interface IterationWork {
  readonly iteration: number
  readonly tree: TreeId
  /** What its last agent reported. */
  readonly report?: string
  /** The run ended in the middle of it. */
  readonly isUnfinished?: true
}

/** What parts of the workspace's trees are made of, for garbage collection and export. */
export interface Trees {
  /** Every blob that a tree needs, itself included. */
  reachable(tree: TreeId): AsyncIterable<BlobId>
}

/** Who works. Contract: it ends when the signal aborts; what it needs of the run is in its context. */
export interface Agents {
  work(role: string, task: AgentTask, context: AgentContext): Promise<AgentReport>
}

/** What can be called. Contract: a failure of a tool is a result, not an exception. */
export interface Tools {
  call(name: string, args: Json, context: ToolContext): Promise<ToolResult>
  /** What there is. Absent: agents are told of none. */
  list?(): Promise<readonly ToolDescription[]>
  /** A call of this iteration that was made before a crash and is not made again. */
  replayed?(
    name: string,
    args: Json,
    result: ToolResult,
    context: Pick<ToolContext, 'iteration' | 'workspace'>,
  ): void
}

/** What a check answers, before it is bound to a step. */
export interface CheckAnswer extends Omit<CheckResult, 'check' | 'durationMs' | 'tree'> {
  /** All that it printed, where `output` is an excerpt. It is kept with certificates, not in the journal. */
  readonly whole?: string
}

/** A check by name. What it throws is recorded as `error`, never as a pass. */
export interface Check {
  (context: CheckContext): Promise<CheckAnswer>
  /** How long it takes at most; 10 minutes unless told. */
  readonly timeoutMs?: number
  /** Of all that it does: one with another is another check. Absent: it is code. */
  readonly fingerprint?: string
  /** What answers. Absent: code. */
  readonly kind?: CheckKind
  /** The standard condition that it stands for. Absent: none. */
  readonly condition?: StandardCondition
  /** It looks at more than the files, so that no answer of it stands for another. */
  readonly isLive?: true
}

/** What a check can use: the workspace, the tree that it judges, and the agents and tools of the run. */
export interface CheckContext extends StepContext {
  readonly workspace: string | undefined
  readonly iteration: number
  /** The files as they are, and as they were when the run began. */
  readonly tree?: TreeId
  readonly base?: TreeId
  /** Another agent of the run works; it is metered as part of this step. */
  work(role: string, task: AgentTask): Promise<AgentReport>
  callTool(name: string, args: Json): Promise<ToolResult>
  /** What the files have that they had not when the run began, as a patch, cut off. Absent: nobody can tell. */
  changes?(): Promise<string>
}

/** Performs what changes the world. `find` answers after a crash, by the idempotency key. */
export interface Actions {
  perform(action: Action, key: string, context: StepContext): Promise<Receipt>
  find(action: Action, key: string, context: StepContext): Promise<Found>
}

/** What an action's `find` knows about an action whose result was lost in a crash. */
export type Found =
  | { readonly type: 'done'; readonly receipt: Receipt }
  | { readonly type: 'not-done' }
  | { readonly type: 'unknown' }

/** E6. Nothing passes without one. */
export interface Gate {
  judge(action: Action, at: StepPlace): Promise<Verdict>
}

/** A step of a run, whichever attempt. */
export interface StepPlace {
  readonly iteration: number
  readonly step: StepId
}

/** What a gate decides about an action. */
export type Verdict =
  | { readonly type: 'allow' }
  | { readonly type: 'deny' | 'ask'; readonly reason: string }

/** A command, run to its end. Contract: nothing that it started is alive afterwards. */
export interface Commands {
  run(command: Command, signal: Signal): Promise<CommandResult>
}

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly timeoutMs?: number
  /** How much of the end of each stream is kept. */
  readonly outputBytesMax?: number
  /**
   * A file for both streams as they come, made only when they are longer than what is kept, and
   * never longer than its limit: what comes after that is dropped, the end is in the result.
   */
  readonly spill?: { readonly file: string; readonly bytesMax: number }
  /** Told of output as it comes. It must not wait. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void
}

export interface CommandResult {
  /** Absent when it was killed. */
  readonly exitCode?: number
  readonly stdout: string
  readonly stderr: string
  readonly ended: 'exited' | 'timeout' | 'aborted' | 'signal'
  /** The limit that it met, if it met one: what it was killed for, or was refused more of. */
  readonly exceeded?: 'memory' | 'processes' | 'disk' | 'output'
  readonly durationMs: number
  /** How much came out of both streams. */
  readonly outputBytes: number
  /** The file was made: `bytes` are in it. */
  readonly spilled?: { readonly file: string; readonly bytes: number }
}

/** Starts a program that somebody talks to, with pipes for its streams: an agent, a server. */
export type StartProcess = (command: ProcessCommand) => StartedProcess

export interface ProcessCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** What it is to be given, and nothing of ours. */
  readonly env?: Readonly<Record<string, string>>
}

export interface StartedProcess {
  readonly child: ChildProcess
  /** Asks it to end; it may clean up. */
  stop(): void
  /** Begins to kill at once. Resolves, when all that it started is dead, with those that would not die. */
  kill(): Promise<readonly number[]>
  /** Resolves when nothing of it runs, until `resume`; what cannot be paused is killed. Absent: it runs on. */
  pause?(): Promise<void>
  resume?(): void
}

/** What the adapters' file work goes through, so that tests can make any call fail. */
export type Files = Pick<
  typeof import('node:fs/promises'),
  | 'chmod'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'readFile'
  | 'readlink'
  | 'rename'
  | 'rm'
  | 'rmdir'
  | 'symlink'
  | 'unlink'
  | 'utimes'
>

/**
 * Looks before the first iteration whether a run can succeed. Contract: of the workspace it changes nothing
 * but what git ignores, and done again it gives the same answer. Rejects with a `LoopError`; those of our
 * own house may be gone at the next try, all others end the run.
 */
export interface RunPreflight {
  /** Makes the dependencies of these files available, each time that a process takes the run. */
  prepare(files: PreflightFiles): Promise<void>
  /** Of the dependencies, once they are available. */
  digest?(): string | undefined
  /** Tries every check once. */
  tryChecks(files: PreflightFiles, onBegin: (check: string) => void): Promise<Preflight>
}

export interface PreflightFiles {
  /** The files that the run began with. */
  readonly base: TreeId
  readonly signal: AbortSignal
}

/** Everything that drives one run. Parts a loop does not use may be absent. */
export interface Ports {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly clock: Clock
  /** E5. There is no completed run without one. */
  readonly certifier: Certifier
  readonly workspace?: Workspace
  /** Tries the checks before the first iteration. Absent: the run begins without. */
  readonly preflight?: RunPreflight
  /** Work of another run that holds here, too, verified now. Absent: nobody can tell. */
  readonly earlierWork?: (run: RunId, tree: TreeId) => Promise<Earlier | undefined>
  readonly agents?: Agents
  /** E8. False: what agents do here is not new work, and must not be kept as tried. Default: true. */
  readonly isAttempt?: boolean
  readonly tools?: Tools
  readonly checks?: Readonly<Record<string, Check>>
  readonly actions?: Actions
  readonly gate?: Gate
  readonly hooks?: readonly Hook[]
  /** The longest that a sleep, or a question before its default is taken, may last. */
  readonly waitMsMax?: number
}

/** Any loop type, as the engine holds it: the four parts always come from one type. */
export type AnyLoopType = LoopType<unknown, unknown, unknown, unknown>
