/** Where the parts of a run are opened, and what they may use. */

import type { RunBaseFiles } from '../engine/index.ts'
import type { ReplaySettings } from '../gateway/index.ts'
import type { LoopTypeDefinition } from '../loops/index.ts'
import type { SandboxSpec } from '../sandbox/index.ts'
import type { Environment } from '../system/environment.ts'
import type { ReplayPosition } from './agents/metered-agent.ts'
import type { SharedGateway } from './shared-gateway.ts'

/** Where the parts of a loaded loop are opened, and what they may use. */
export interface OpenPlace {
  /** The folder of the record. */
  readonly folder: string
  readonly workspace?: string | undefined
  /** The folder that the workspace stands for, where it is a worktree. */
  readonly checkout?: string | undefined
  /** The folder of the workspace that commands start in, from its top; absent: the top. */
  readonly inner?: string
  /** The files that the run began with; absent: those of the workspace as they are. */
  readonly begun?: () => RunBaseFiles
  /** Seen by whatever the run starts, and not to be changed: whole paths. */
  readonly readOnly?: readonly string[]
  /** Where programs are looked up; default: the PATH of this process. */
  readonly path?: string | undefined
  /** Folders of which no program is used though the PATH names them. */
  readonly untrusted?: readonly string[]
  /** Dependencies that are mounted in the workspace and do not belong to it. */
  readonly layer?: Pick<SandboxSpec, 'overlay' | 'mounts' | 'scratch' | 'programs' | 'env'>
  /** Where commands that the loop file names write; absent: to the workspace. */
  readonly workspaceOverlay?: SandboxSpec['workspaceOverlay']
  /** Where run folders are kept in the workspace, if it is not a worktree. Default: `logs/loop`. */
  readonly logDir?: string
  /** Files that are no part of the work though they may lie in the workspace: whole paths. */
  readonly apart?: readonly string[]
  /** The run is attended. Without it a strong sandbox is required. */
  readonly attended?: boolean
  /** Not kept with what agents say, besides the secrets that lie about. */
  readonly secrets?: readonly string[]
  /** Only checks are opened, not the agent that would do the work. */
  readonly isForChecks?: true
  /** The host's own, shared by its runs; without it one is opened for this run. */
  readonly models?: SharedGateway
  /** Where the workspace is for whatever the run starts, as far as walls can do that. */
  readonly shownAs?: string | undefined
  /** Models are not asked: the record answers, and nothing else. */
  readonly replay?: (at: ReplayPosition) => ReplaySettings | undefined
  readonly signal?: AbortSignal
  /** The environment of the run; default: that of this process. */
  readonly environment?: Environment
  /** The loop types that the file was loaded with; default: the built-in ones. */
  readonly types?: readonly LoopTypeDefinition[]
  /** Called with each line that the code of a loop prints while no run is driven. Default: they go to stderr. */
  readonly onLine?: (line: string) => void
}
