/** A loop file that was read, checked and trusted, and what it opens. */

import type { AnyLoopType, BegunFiles } from '../engine/index.ts'
import type { ReplaySettings } from '../gateway/index.ts'
import type { Json, Limits, Source } from '../loop/index.ts'
import type { AgentSettings, SandboxSettings, WorktreeSettings } from '../protocol/index.ts'
import type { RunParts } from '../runs/options.ts'
import type { SandboxPlace } from '../sandbox/index.ts'
import type { ReplayPlace } from './agents/metered-agent.ts'
import type { CertifyingParts } from './checks/certifying-parts.ts'
import type { PlannedChecks } from './checks/plan-checks.ts'
import type { ModelDoor } from './shared-gateway.ts'

export interface LoadedLoop {
  readonly source: Source
  /** The file and those that it names, which are no part of the work: whole paths. */
  readonly files: readonly string[]
  readonly loop: AnyLoopType
  readonly input: Json
  readonly limits: Partial<Limits>
  /** Who works, by role, and in which sandbox: as the file says, with the changes for this run. */
  readonly agents: { readonly [role: string]: AgentSettings }
  readonly sandbox: SandboxSettings
  /** The folder to work in, unless somebody says otherwise. */
  readonly workspace: string
  /** Whether a run gets a worktree of it, unless somebody says otherwise. */
  readonly worktree: WorktreeSettings
  readonly powers: readonly string[]
  /** What a person should know, and what a run can do without. */
  readonly warnings: readonly string[]
  /** What its templates expect to be given, such as `input.goal`. */
  readonly variables: readonly string[]
  /** What the agent would be told first; undefined where only running tells. */
  firstPrompt(limits: Limits, workspace: string): string | undefined
  /** What it would check and certify with there. */
  planChecks(workspace: string): Promise<PlannedChecks>
  /** Starts what a run needs: its agent, its tools, their servers. For one run. */
  open(place: OpenPlace): Promise<OpenedLoop>
  /** Ends everything that was opened, and the process of a loop that is code. */
  close(): Promise<void>
}

export interface OpenPlace {
  /** The folder of the record. */
  readonly folder: string
  readonly workspace?: string | undefined
  /** The folder that the workspace stands for, where it is a worktree. */
  readonly checkout?: string | undefined
  /** The folder of the workspace that commands start in, from its top; absent: the top. */
  readonly inner?: string
  /** The files that the run began with; absent: those of the workspace as they are. */
  readonly begun?: () => BegunFiles
  /** Seen by whatever the run starts, and not to be changed: whole paths. */
  readonly readOnly?: readonly string[]
  /** Where programs are looked up; default: the PATH of this process. */
  readonly path?: string | undefined
  /** Folders of which no program is used though the PATH names them. */
  readonly untrusted?: readonly string[]
  /** Dependencies that are shown in the workspace and are no part of it. */
  readonly layer?: Pick<SandboxPlace, 'overlay' | 'mounts' | 'scratch' | 'programs' | 'env'>
  /** Where commands that the loop file names write; absent: to the workspace. */
  readonly workspaceOverlay?: SandboxPlace['workspaceOverlay']
  /** Where files of runs are kept in the workspace, if it is no worktree; `logs/loop` unless told. */
  readonly logDir?: string
  /** Files that are no part of the work though they may lie in the workspace: whole paths. */
  readonly apart?: readonly string[]
  /** Somebody watches, and answers for what happens. Without it strong walls are needed. */
  readonly attended?: boolean
  /** Not kept with what agents say, besides the secrets that lie about. */
  readonly secrets?: readonly string[]
  /** Only checks are asked: whoever would do the work is not looked for. */
  readonly isForChecks?: true
  /** The host's own, shared by its runs; without it one is opened for this run. */
  readonly models?: ModelDoor
  /** Where the workspace is for whatever the run starts, as far as walls can do that. */
  readonly shownAs?: string | undefined
  /** Models are not asked: the record answers, and nothing else. */
  readonly replay?: (at: ReplayPlace) => ReplaySettings | undefined
  readonly signal?: AbortSignal
}

/** The parts of a run, and what its loop file says about certifying. */
export interface LaunchedParts extends RunParts {
  readonly certifying?: CertifyingParts
}

export interface OpenedLoop {
  readonly parts: LaunchedParts
  /** What is missing and can be done without. */
  readonly problems: readonly string[]
}
