/** Options of a host and of its runs. */

import type {
  Actions,
  Agents,
  Check,
  CommandRunner,
  Escalation,
  Gate,
  Hook,
  LoopPrints,
  NewQueueRow,
  Policy,
  Ports,
  RequestKey,
  Tools,
} from '../engine/index.ts'
import type { Synchronous } from '../journal/index.ts'
import type {
  Action,
  AgentInfo,
  Level,
  Limits,
  OutsideDigests,
  RunSeals,
  RunState,
  SandboxSummary,
  ScheduledTick,
  Source,
} from '../loop/index.ts'
import type { HostPorts } from './host-ports.ts'

import type { RunPlace } from './run-place.ts'
import type { WorktreeChoice } from './worktree-options.ts'

/** Written in the same transaction as the run: its row in the queue, and the request that created it. */
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

/** What a new run has besides its parts. */
interface Creation {
  /** The loop file, so that a resume can find it. */
  readonly source?: Source
}

/** The ports that a run may use. They are not journaled: pass them again on resume. */
export interface RunParts {
  readonly checks?: Readonly<Record<string, Check>>
  readonly agents?: Agents
  readonly tools?: Tools
  /** Runs `it.command`. */
  readonly commands?: CommandRunner
  readonly actions?: Actions
  readonly gate?: Gate
  /** 1 report, 2 assisted, 3 unattended. Default: 2. */
  readonly level?: Level
  /** Actions to request once the work is certified. */
  readonly whenCertified?: readonly Action[]
  /** Tightens what the run may do. Absent: only its limits apply. */
  readonly policy?: Policy
  /** Whether a path of the workspace is sealed, for the policy. Default: nothing is. */
  readonly isSealed?: (path: string) => boolean
  /** What the loop seals besides the defaults, for the journal. */
  readonly seals?: RunSeals
  readonly hooks?: readonly Hook[]
  /** When the run asks a person for help. Absent: never. */
  readonly escalation?: Escalation
  /** What the code of the loop prints; the run journals it. */
  readonly prints?: LoopPrints
  /** The longest sleep, and the longest wait for an answer before the default is used. */
  readonly waitMsMax?: number
  /** How preflight and certification run the checks. Absent: in a clean checkout. */
  readonly prepare?: PrepareRun
  /** Skip running the checks on the base before the first iteration. */
  readonly skipPreflight?: boolean
  /** The sandbox of the run, for the journal. */
  readonly sandbox?: SandboxSummary
  /** The agent, for the journal. */
  readonly agent?: AgentInfo
  /** Names in the workspace's root that are not part of its tree. */
  readonly exclude?: readonly string[]
  /** Called with each state of the run after it is on disk. */
  readonly onState?: (state: RunState) => void
  /** Aborting it suspends the run after its current step. */
  readonly signal?: AbortSignal
  /** How long the current step may then continue. */
  readonly graceMs?: number
}

/** Options of `host.start`. */
export interface StartOptions<Input> extends RunParts, Creation {
  readonly input: Input
  /** A readable name. Default: a generated one. */
  readonly name?: string
  readonly limits?: Partial<Limits>
  /** E8. Run even if this exact attempt was already made. */
  readonly again?: boolean
  /** E8. Digests of what the run depends on besides its files, by name. */
  readonly outside?: OutsideDigests
  /** The schedule that starts it. */
  readonly schedule?: ScheduledTick
  /** The folder to work in. */
  readonly workspace?: string
  /** A git worktree of that folder's repository instead, on a separate branch. Default: none. */
  readonly worktree?: WorktreeChoice
  /** The result of `host.place`; overrides name, workspace and worktree. */
  readonly place?: RunPlace
}

/** Options of a run that is created now and driven later. */
export interface CreateOptions<Input> extends Omit<StartOptions<Input>, keyof RunParts> {
  /** Also adds it to the queue. */
  readonly queue?: Queued
}

/** Options of `host.resume`. */
export interface ResumeOptions extends RunParts {
  /** The folder, if it has moved. */
  readonly workspace?: string
  /** From `placeAgain`, if it was called before. */
  readonly place?: RunPlace
  /** Resume even if the loop's code changed during an iteration. That iteration starts over. */
  readonly force?: boolean
  /** Do not restore the files to the start of an interrupted step. */
  readonly keepFiles?: boolean
  /** First rewind to the checkpoint after this iteration. */
  readonly fromIteration?: number
}

/** Options of `host.fork`. */
export interface ForkOptions<Input> extends RunParts, Creation {
  readonly iteration: number
  readonly name?: string
  readonly input?: Input
  readonly limits?: Partial<Limits>
  /** An empty folder for the files of the checkpoint. Not needed for a run in a worktree. */
  readonly workspace?: string
  /** Worktree settings, if the original run works in a worktree. */
  readonly worktree?: WorktreeChoice
  /** The result of `host.placeFork`. */
  readonly place?: RunPlace
  /** Allow a folder that is not empty, and delete what is in it. */
  readonly replaceFiles?: boolean
  /** Called for each excluded path (`exclude`) that could not be copied. */
  readonly onProblem?: (problem: string) => void
}

export interface CreateForkOptions<Input>
  extends Omit<ForkOptions<Input>, keyof RunParts | 'onProblem'> {
  /** E8. Run even if this exact attempt was already made. */
  readonly again?: boolean
  readonly queue?: Queued
}

export interface ExportOptions {
  readonly iteration?: number
  /** Include the content of the workspace, so that it can be restored elsewhere. Default: true. */
  readonly files?: boolean
  /** The checks of the loop. Default: the checks that ran. */
  readonly checks?: readonly string[]
}

export interface RestoreOptions extends RunParts {
  readonly name?: string
  readonly limits?: Partial<Limits>
  /** An empty folder for the files of the checkpoint. */
  readonly workspace?: string
  /** Allow a folder that is not empty, and delete what is in it. */
  readonly replaceFiles?: boolean
}

/** The preflight and the certifier of a run, opened by each process that drives it. */
export interface PreparedRun {
  readonly ports: Pick<
    Ports,
    | 'actions'
    | 'certifier'
    | 'checks'
    | 'commands'
    | 'earlierWork'
    | 'gate'
    | 'outsideScope'
    | 'preflight'
  >
  /** The run is no longer driven here. Never rejects. */
  close(): Promise<void>
}

export type PrepareRun = (base: HostPorts, place: RunPlace, parts: RunParts) => PreparedRun
