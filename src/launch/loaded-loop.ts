/** A loop file that was read, checked and trusted, and what it opens. */

import type { AnyLoopType } from '../engine/index.ts'
import type { Json, Limits, Source } from '../loop/index.ts'
import type { AgentSettings, SandboxSettings, WorktreeSettings } from '../protocol/index.ts'
import type { RunParts } from '../runs/options.ts'
import type { CertifyingParts } from './checks/certifying-parts.ts'
import type { PlannedChecks } from './checks/plan-checks.ts'
import type { OpenPlace } from './launch-place.ts'

/** A loop file that was read, checked and trusted. `open` prepares its agent, tools and checks for one run. */
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
  /** The folder to work in, unless the user names another. */
  readonly workspace: string
  /** Whether a run gets a worktree of it, unless the user decides otherwise. */
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

/** The parts of a run, and what its loop file says about certifying. */
export interface LaunchedParts extends RunParts {
  readonly certifying?: CertifyingParts
}

/** The parts of a run, opened from a loop file. */
export interface OpenedLoop {
  readonly parts: LaunchedParts
  /** What is missing and can be done without. */
  readonly problems: readonly string[]
}
