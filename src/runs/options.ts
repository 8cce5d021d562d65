/** What a caller says about a host and about a run. */

import type {
  Actions,
  Agents,
  Check,
  Gate,
  Hook,
  LoopPrints,
  NewQueueRow,
  Ports,
  RequestKey,
  Tools,
} from '../engine/index.ts'
import type { Synchronous } from '../journal/index.ts'
import type { AgentInfo, Limits, RunState, SandboxSummary, Source } from '../loop/index.ts'
import type { HostPorts } from './host-ports.ts'

import type { RunPlace } from './run-place.ts'
import type { WorktreeChoice } from './worktree-options.ts'

/** In the same transaction as the run: that it is to be driven, and by which request. */
export interface Queued {
  readonly row: NewQueueRow
  readonly request?: RequestKey
}

/** Options of `openHost`. */
export interface HostOptions {
  /** The state folder. Default: the user's. */
  readonly folder?: string
  /** `FULL`: a finished step survives a power cut. `NORMAL`: it survives a crash of the process. */
  readonly synchronous?: Synchronous
}

/** What a run is created with, besides its parts. */
interface Creation {
  /** The loop file that it comes from, so that it can be found again. */
  readonly source?: Source
}

/** The parts of the world that a run may use. They are not journaled: say them again on resume. */
export interface RunParts {
  readonly checks?: Readonly<Record<string, Check>>
  readonly agents?: Agents
  readonly tools?: Tools
  readonly actions?: Actions
  readonly gate?: Gate
  readonly hooks?: readonly Hook[]
  /** What the code of the loop prints; the run journals it. */
  readonly prints?: LoopPrints
  /** The longest that a sleep, or a question before its default is taken, may last. */
  readonly waitMsMax?: number
  /** How its checks are tried before it and certify it. Absent: they are asked in a clean checkout. */
  readonly prepare?: PrepareRun
  /** Skip running the checks on the base before the first iteration. */
  readonly skipPreflight?: boolean
  /** The walls around what the run starts, for the record. */
  readonly sandbox?: SandboxSummary
  /** Who works, for the record. */
  readonly agent?: AgentInfo
  /** Names in the workspace's root that are no part of its tree. */
  readonly exclude?: readonly string[]
  /** Told of each state of the run that is on disk. */
  readonly onState?: (state: RunState) => void
  /** Aborting it suspends the run after its current step. */
  readonly signal?: AbortSignal
  /** How long the step in flight may then go on. */
  readonly graceMs?: number
}

/** Options of `host.start`. */
export interface StartOptions<Input> extends RunParts, Creation {
  readonly input: Input
  /** A readable name; one is made up otherwise. */
  readonly name?: string
  readonly limits?: Partial<Limits>
  /** E8. Also what was tried before, in this store, with the very same files and words. */
  readonly again?: boolean
  /** The folder to work in. */
  readonly workspace?: string
  /** A git worktree of that folder's repository instead, on a separate branch. Default: none. */
  readonly worktree?: WorktreeChoice
  /** What was settled before with `host.place`; then name, workspace and worktree are there. */
  readonly place?: RunPlace
}

/** What a run is created with that is driven later. */
export interface CreateOptions<Input> extends Omit<StartOptions<Input>, keyof RunParts> {
  /** Written with it: that it is to be driven. */
  readonly queue?: Queued
}

/** Options of `host.resume`. */
export interface ResumeOptions extends RunParts {
  /** The folder, where it is another than before. */
  readonly workspace?: string
  /** From `placeAgain`, if it was called before. */
  readonly place?: RunPlace
  /** Go on though the loop's code changed in the middle of an iteration, which starts anew. */
  readonly force?: boolean
  /** Go on with the files as they are, though a step was cut short: they are not put back. */
  readonly keepFiles?: boolean
  /** Go back to the checkpoint after this iteration first. */
  readonly fromIteration?: number
}

/** Options of `host.fork`. */
export interface ForkOptions<Input> extends RunParts, Creation {
  readonly iteration: number
  readonly name?: string
  readonly input?: Input
  readonly limits?: Partial<Limits>
  /** An empty folder for the files of the checkpoint; a run in a worktree needs none. */
  readonly workspace?: string
  /** How the worktree is made, for a fork of a run in one. */
  readonly worktree?: WorktreeChoice
  /** What was settled before with `host.placeFork`. */
  readonly place?: RunPlace
  /** Put them there though the folder is not empty: what is in it goes away. */
  readonly replaceFiles?: boolean
  /** Told of what is no part of the tree (`exclude`) and could not be copied. */
  readonly onProblem?: (problem: string) => void
}

export interface CreateForkOptions<Input>
  extends Omit<ForkOptions<Input>, keyof RunParts | 'onProblem'> {
  /** E8. Also what was tried before with the very same files and words. */
  readonly again?: boolean
  readonly queue?: Queued
}

export interface ExportOptions {
  readonly iteration?: number
  /** With the content of the workspace, so that it can be restored elsewhere. Default: true. */
  readonly files?: boolean
  /** The checks of the loop. Default: those that ran. */
  readonly checks?: readonly string[]
}

export interface RestoreOptions extends RunParts {
  readonly name?: string
  readonly limits?: Partial<Limits>
  /** An empty folder for the files of the checkpoint. */
  readonly workspace?: string
  /** Put them there though the folder is not empty: what is in it goes away. */
  readonly replaceFiles?: boolean
}

/** What is tried before a run, and who certifies it; opened for each process that drives the run. */
export interface PreparedRun {
  readonly ports: Pick<Ports, 'checks' | 'preflight' | 'earlierWork' | 'certifier'>
  /** The run is no longer driven here. Never rejects. */
  close(): Promise<void>
}

export type PrepareRun = (base: HostPorts, place: RunPlace, parts: RunParts) => PreparedRun
