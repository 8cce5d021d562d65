/** What a kind of check brings to be run: one file in `kinds/` each, and one line of `kinds/registry.ts`. */

import type { Check, RunBaseFiles } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import type { ToolDescription } from '../../loop/index.ts'
import type { AgentSettings, CheckSettings } from '../../protocol/index.ts'
import type { CommandChecks } from '../agents/open-repair.ts'
import type { Identity } from '../certify/identity/open-identity.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'
import type { ResolvedCheck } from './resolved-check.ts'

/** `Settings`: as the loop file has it. `Resolved`: with all that is known once a run begins. */
export interface LaunchedCheckKind<
  Settings extends CheckSettings = CheckSettings,
  Resolved extends ResolvedCheck = ResolvedCheck,
> {
  /** What it would do in a folder, for a plan. */
  plan(name: string, check: Settings, workspace: string): Promise<PlannedText>
  /** Looks at the files that the run began with; text: why it cannot be run. */
  resolve(name: string, check: Settings, options: ResolveOptions): Promise<Resolved | string>
  open(name: string, check: Resolved, place: CheckSurroundings): Check
  /** Which check it is, as a certificate says. */
  describe(name: string, check: Resolved, place: DescribePlace): Promise<Described>
  /** Files of the work that decide about it, because its command names them. */
  filesNamed(check: Resolved): readonly string[]
  /** Only of those that have test runners. */
  observe?(check: Resolved, place: ObservePlace): NonNullable<OpenCheck['observe']>
  /** Its environment, where it has one. */
  env?(check: Resolved): Env
  /** The agent that it asks, which may only read. */
  reader?(check: Resolved): { readonly agent: AgentSettings; readonly timeoutMs: number }
  /** The commands that it runs in the workspace itself, for an agent that works by them. */
  commands?(name: string, check: Resolved): CommandChecks
}

export interface PlannedText {
  /** The command, the tool, the agent that judges; empty where there is none. */
  readonly text: string
  /** Why a run would be refused. */
  readonly problem?: string
}

export interface ResolveOptions {
  readonly baseFiles: () => RunBaseFiles
  /** Commands of the run reach nothing. */
  readonly isOffline: boolean
  /** What a person should know is added here. */
  readonly problems: string[]
}

export type Env = Readonly<Record<string, string>>

export interface CheckSurroundings {
  readonly sandbox: Pick<OpenedSandbox, 'commandsFor'>
  /** Digest of what the answers of a check with this environment depend on, besides the files. */
  readonly surroundings: (env?: Env) => string
}

export interface DescribePlace {
  /** Where programs of the checks are that are files of the work. */
  readonly workspace: string
  /** The PATH that programs are found on. */
  readonly path: string | undefined
  /** What is there to be called, for the record. */
  readonly described: readonly ToolDescription[]
}

export interface ObservePlace extends Pick<CheckSurroundings, 'sandbox'> {
  /** How its test runners report. */
  readonly identity: Identity
  /** Variables that the dependencies set. */
  readonly layerEnv: Env
}

export type Described = Pick<OpenCheck, 'kind' | 'command' | 'toolDigest' | 'names'>
