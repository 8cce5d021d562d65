/**
 * The outside world as the engine sees it, and the only interfaces between the parts below.
 * Adapters implement these; tests fake them. Every method that waits takes a signal or has a limit.
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
  EarlierRun,
  EscalationThresholds,
  Json,
  Level,
  LoopType,
  PolicyInEffect,
  PolicyRequest,
  PolicyRuling,
  Preflight,
  Remaining,
  RunId,
  RunSeals,
  Signal,
  StandardCondition,
  StepContext,
  ToolContext,
  ToolDescription,
  ToolResult,
  TreeId,
} from '../loop/index.ts'
import type { CommandReport, CommandTask } from '../loop/step/command-task.ts'
import type { Actions, Gate, StepPlace } from './action-ports.ts'
import type { Certifier } from './certifier.ts'
import type { Hook } from './hook.ts'
import type { Blobs, Journal } from './store/index.ts'

export type { ActionLookup, Actions, Gate, Verdict } from './action-ports.ts'
export type { Blobs, Journal, Lease, Owner, PastAttempt } from './store/index.ts'

/** Time and randomness. The simulator has its own. */
export interface Clock {
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: Signal): Promise<void>
  /** Resolves after all pending callbacks have run. */
  turn(): Promise<void>
  /** In [0, 1). */
  random(): number
}

/** Where an iteration works. */
export interface Workspace {
  readonly path: string
  /** False if there is no such directory. */
  exists(): Promise<boolean>
  /** Hash of all current files; their content is stored. */
  snapshot(): Promise<TreeId>
  /** Restores the files of a tree. */
  restore(tree: TreeId): Promise<void>
  /** Paths that differ between two trees. Absent: not supported. */
  changes?(before: TreeId, after: TreeId): Promise<readonly string[]>
  /** The same as a readable diff; cut off at `bytesMax`. Absent: not supported. */
  patch?(before: TreeId, after: TreeId, bytesMax?: number): Promise<string>
  /** A text file by its path from the root. Undefined: no regular file of a moderate size. Absent: not supported. */
  readText?(path: string): Promise<string | undefined>
  /** Writes a text file, with its folders. Never through a symlink. `force`: replaces what is in the way. Absent: not supported. */
  writeText?(path: string, text: string, options?: { readonly force?: boolean }): Promise<void>
  /** The newest commits of the run's branch, one line each. Absent: not a git worktree. */
  log?(max: number): Promise<string>
  /**
   * Commits the result of an iteration where people look for it, such as a branch. Called before the end
   * of the iteration is recorded, so it may be called again after a crash; that must change nothing.
   */
  keep?(work: IterationWork): Promise<CommittedWork | undefined>
}

/** The result of an iteration, as it was committed. */
export interface CommittedWork {
  readonly commit?: string
}

/** The result of an iteration. */
export interface IterationWork {
  readonly iteration: number
  readonly tree: TreeId
  /** The report of its last agent. */
  readonly report?: string
  /** The run ended in the middle of this iteration. */
  readonly isUnfinished?: true
  /** A commit whose files the tree is based on, besides those of the branch. */
  readonly follows?: string
}

/** What the workspace's trees consist of, for garbage collection and export. */
export interface Trees {
  /** Every blob that a tree needs, including itself. */
  reachable(tree: TreeId): AsyncIterable<BlobId>
}

/** An agent. Contract: it ends when the signal aborts; what it needs of the run is in its context. */
export interface Agents {
  work(role: string, task: AgentTask, context: AgentContext): Promise<AgentReport>
}

/** The tools of a run. Contract: a failure of a tool is a result, not an exception. */
export interface Tools {
  call(name: string, args: Json, context: ToolContext): Promise<ToolResult>
  /** Lists the tools. Absent: agents see none. */
  list?(): Promise<readonly ToolDescription[]>
  /** The file of the workspace that a call would change, relative to it. Absent: unknown. */
  changes?(name: string, args: Json, context: Pick<ToolContext, 'workspace'>): string | undefined
  /** Replays a call of this iteration that was made before a crash, without making it again. */
  replayed?(
    name: string,
    args: Json,
    result: ToolResult,
    context: Pick<ToolContext, 'iteration' | 'workspace'>,
  ): void
}

/** The result of a check, before it is bound to a step. */
export interface UnboundCheckResult extends Omit<CheckResult, 'check' | 'durationMs' | 'tree'> {
  /** Its full output, if `output` is an excerpt. Stored with certificates, not in the journal. */
  readonly whole?: string
}

/** A check by name. An error that it throws is recorded as `error`, never as a pass. */
export interface Check {
  (context: CheckContext): Promise<UnboundCheckResult>
  /** The longest that it may take. Default: 10 minutes. */
  readonly timeoutMs?: number
  /** Identifies what it does: if it changes, it is a different check. Absent: it is code. */
  readonly fingerprint?: string
  /** What performs the check. Absent: code. */
  readonly kind?: CheckKind
  /** The standard condition that it implements. Absent: none. */
  readonly condition?: StandardCondition
  /** It depends on more than the files, so its results are never reused. */
  readonly isLive?: true
}

/** What a check can use: the workspace, the tree that it judges, and the agents and tools of the run. */
export interface CheckContext extends StepContext {
  readonly workspace: string | undefined
  readonly iteration: number
  /** The current files, and the base. */
  readonly tree?: TreeId
  readonly base?: TreeId
  /** Lets another agent of the run work, metered as part of this step. */
  work(role: string, task: AgentTask): Promise<AgentReport>
  callTool(name: string, args: Json): Promise<ToolResult>
  /** The changes since the base, as a patch that may be cut off. Absent: not supported. */
  changes?(): Promise<string>
}

/**
 * The rules that apply to a run. Contract: `judge` is fast, and answers without side effects; a rule that cannot be
 * evaluated denies.
 */
export interface Policy {
  readonly inEffect: PolicyInEffect
  judge(request: PolicyRequest): PolicyRuling
}

/** When a person is asked because of objective triggers. */
export interface Escalation {
  readonly thresholds: EscalationThresholds
  /** `stuck`: only if the run would end as stuck otherwise. */
  readonly when: 'triggered' | 'stuck'
  readonly deadlineMs?: number
  /** Which of these changed paths are outside the scope that the loop states. Absent: it states none. */
  outsideScope?(paths: readonly string[]): readonly string[]
}

/** Runs a command to its end. Contract: no process that it started is alive afterwards. */
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
  /** How many bytes of the end of each stream are kept. */
  readonly outputBytesMax?: number
  /**
   * A file for both streams, created only if they are longer than what is kept, and never longer than
   * its limit: output beyond that is dropped, its end is in the result.
   */
  readonly spill?: { readonly file: string; readonly bytesMax: number }
  /** Called with output as it arrives. It must not block. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void
}

export interface CommandResult {
  /** Absent when it was killed. */
  readonly exitCode?: number
  readonly stdout: string
  readonly stderr: string
  readonly ended: 'exited' | 'timeout' | 'aborted' | 'signal'
  /** The limit that it reached, if any: why it was killed, or what it was refused. */
  readonly exceeded?: 'memory' | 'processes' | 'disk' | 'output'
  readonly durationMs: number
  /** The size of both streams together. */
  readonly outputBytes: number
  /** Present if the file was created; `bytes` is its size. */
  readonly spilled?: { readonly file: string; readonly bytes: number }
}

/**
 * Runs the commands of a loop, each in a copy of the workspace. Contract: nothing that a command does is left afterwards,
 * but its report; a command that cannot run is a report too.
 */
export interface CommandRunner {
  run(task: CommandTask, context: CommandContext): Promise<CommandReport>
}

export interface CommandContext extends StepContext, StepPlace {
  /** What the run may still spend now. */
  remaining(): Remaining
}

/** Starts an interactive program with pipes for its streams: an agent, a server. */
export type StartProcess = (command: ProcessCommand) => StartedProcess

export interface ProcessCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** The complete environment; nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>
}

export interface StartedProcess {
  readonly child: ChildProcess
  /** Asks it to end, so that it can clean up. */
  stop(): void
  /** Kills it immediately. Resolves when its whole tree is dead, with the processes that could not be killed. */
  kill(): Promise<readonly number[]>
  /** Resolves when its whole tree is paused, until `resume`; what cannot be paused is killed. Absent: not supported. */
  pause?(): Promise<void>
  resume?(): void
}

/** File operations of the adapters, so that tests can make any call fail. */
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
 * Checks before the first iteration whether a run can succeed. Contract: in the workspace it changes only
 * what git ignores, and repeating it gives the same result. Rejects with a `LoopError`; infrastructure
 * errors may be gone at the next attempt, all others end the run.
 */
export interface RunPreflight {
  /** Makes the dependencies of these files available, each time that a process takes the run. */
  prepare(files: PreflightFiles): Promise<void>
  /** Describes the dependencies, once they are available. */
  digest?(): string | undefined
  /** Runs every check once. */
  tryChecks(files: PreflightFiles, onBegin: (check: string) => void): Promise<Preflight>
}

export interface PreflightFiles {
  /** The base. */
  readonly base: TreeId
  readonly signal: AbortSignal
}

/** Everything that drives one run. Parts a loop does not use may be absent. */
export interface Ports {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly clock: Clock
  /** E5. Without one, no run can be completed. */
  readonly certifier: Certifier
  readonly workspace?: Workspace
  /** Runs the checks before the first iteration. Absent: no preflight. */
  readonly preflight?: RunPreflight
  /** Work of another run that is valid here too, verified now. Absent: not supported. */
  readonly earlierWork?: (run: RunId, tree: TreeId) => Promise<EarlierRun | undefined>
  readonly agents?: Agents
  /** E8. False: agents do no new work here, so it must not be recorded as an attempt. Default: true. */
  readonly isAttempt?: boolean
  readonly tools?: Tools
  readonly commands?: CommandRunner
  readonly checks?: Readonly<Record<string, Check>>
  readonly actions?: Actions
  readonly gate?: Gate
  /** Actions that the engine requests once the work is certified. */
  readonly whenCertified?: readonly Action[]
  /** Which of these changed paths are outside of the scope. Absent: unknown. */
  readonly outsideScope?: (paths: readonly string[], base: TreeId) => Promise<readonly string[]>
  /** Tightens what the run may do. Absent: only its limits apply. */
  readonly policy?: Policy
  /** Asks a person when objective triggers fire. Absent: never. */
  readonly escalation?: Escalation
  /** Whether the agent may not change this path. Absent: nothing is sealed. */
  readonly isSealed?: (path: string) => boolean
  /** What the loop seals besides the defaults, for the journal: people act on its work later. */
  readonly seals?: RunSeals
  /** 1 report, 2 assisted, 3 unattended. Default: 2. */
  readonly level?: Level
  readonly hooks?: readonly Hook[]
  /** Of a loop whose code runs elsewhere. Journaled. */
  readonly prints?: LoopPrints
  /** The longest that a sleep, or a question before its default is taken, may last. */
  readonly waitMsMax?: number
}

/** What the code of a loop prints. Its source limits the total size (E9). */
export interface LoopPrints {
  /**
   * Calls `listener` with one or more lines, until the returned function is called. False: the run is over, and the text
   * was not taken.
   */
  listen(listener: (text: string) => boolean): () => void
  /** Resolves when everything that was printed so far was passed on. */
  flush(): Promise<void>
}

/** Any loop type, as the engine holds it: the four parts always come from one type. */
export type AnyLoopType = LoopType<unknown, unknown, unknown, unknown>
