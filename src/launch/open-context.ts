import type { StartRunPorts } from '../authority/index.ts'
import type { Memories, RunBaseFiles, Trust } from '../engine/index.ts'
import type { ReplaySettings } from '../gateway/index.ts'
import type { Level } from '../loop/index.ts'
import type { LoopTypeDefinition } from '../loops/index.ts'
import type { Proposals } from '../loops/loop-ports.ts'
import type { SandboxSpec } from '../sandbox/index.ts'
import type { Environment } from '../system/environment.ts'
import type { ReplayPosition } from './agents/metered-agent.ts'
import type { SharedGateway } from './shared-gateway.ts'

/** Where the parts of a loaded loop are opened, and what they may use. */
export interface OpenContext {
  /** The state folder. */
  readonly folder: string
  /** The name of the run. Absent: the parts are not opened for one. */
  readonly run?: string
  /** The branch of the run. Absent: it has none. */
  readonly branch?: string
  readonly workspace?: string | undefined
  /** The checkout of the repository, if the workspace is a worktree. */
  readonly checkout?: string | undefined
  /** The working directory of commands, relative to the workspace; absent: the workspace itself. */
  readonly inner?: string
  /** The base files of the run; absent: the current files of the workspace. */
  readonly baseFiles?: () => RunBaseFiles
  /** Mounted read-only for all processes of the run: absolute paths. */
  readonly readOnly?: readonly string[]
  /** The PATH for programs; default: that of this process. */
  readonly path?: string | undefined
  /** Folders on the PATH whose programs are not used. */
  readonly untrusted?: readonly string[]
  /** Dependencies that are mounted in the workspace and do not belong to it. */
  readonly layer?: Pick<SandboxSpec, 'overlay' | 'mounts' | 'scratch' | 'programs' | 'env'>
  /** Where commands that the loop file names write; absent: to the workspace. */
  readonly workspaceOverlay?: SandboxSpec['workspaceOverlay']
  /** Where run folders are kept in the workspace, if it is not a worktree. Default: `logs/loop`. */
  readonly logDir?: string
  /** Files that are not part of the work, even if they are in the workspace: absolute paths. */
  readonly excludedPaths?: readonly string[]
  /** The run is attended. Without it a strong sandbox is required. */
  readonly attended?: boolean
  /** A daemon drives the run, so that it can wait for a person. */
  readonly isHeld?: boolean
  /** Masked in the output of agents, in addition to secrets found in the workspace. */
  readonly secrets?: readonly string[]
  /** Only checks are opened, not the agent that would do the work. */
  readonly isForChecks?: true
  /** The gateway of the host, shared by its runs; absent: opened for this run. */
  readonly models?: SharedGateway
  /** The path of the workspace inside the sandbox, if the sandbox supports it. */
  readonly sandboxPath?: string | undefined
  /** Replays recorded responses instead of calling models. */
  readonly replay?: (at: ReplayPosition) => ReplaySettings | undefined
  /** What loops remember. Absent: the loop remembers nothing. */
  readonly memories?: Memories
  /** The levels that loops were given and lost. Absent: the loop file alone decides. */
  readonly trust?: Pick<Trust, 'changes'>
  /** What changed about the level of the loop since its last run, for its report. */
  readonly notices?: readonly string[]
  /** The level that a replay repeats. Default: that of the loop file and of `trust`. */
  readonly level?: Level
  /** Proposals of other runs of a loop. Absent: they are not looked for. */
  readonly proposals?: (loop: string) => Proposals
  /** The repository or folder that the facts and the level of the loop belong to. */
  readonly project?: string
  /** Puts a run of another loop file into the queue. Absent: not supported. */
  readonly startRun?: StartRunPorts['start']
  readonly signal?: AbortSignal
  /** The environment of the run; default: that of this process. */
  readonly environment?: Environment
  /** The loop types that the file was loaded with; default: the built-in ones. */
  readonly types?: readonly LoopTypeDefinition[]
  /** Called with each line that the code of a loop prints while no run is driven. Default: they go to stderr. */
  readonly onLine?: (line: string) => void
}
