/** How a kind of check is run. Each is one file in `kinds/` and one line in `kinds/registry.ts`. */

import type { Check, RunBaseFiles } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import type { ToolDescription } from '../../loop/index.ts'
import type { AgentSettings, CheckSettings } from '../../protocol/index.ts'
import type { CommandChecks } from '../agents/open-repair.ts'
import type { Identity } from '../certify/identity/open-identity.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'
import type { ResolvedCheck } from './resolved-check.ts'

/** `Settings`: from the loop file. `Resolved`: completed when a run starts. */
export interface CheckRunner<
  Settings extends CheckSettings = CheckSettings,
  Resolved extends ResolvedCheck = ResolvedCheck,
> {
  /** Describes what it would do in a folder, for a plan. */
  plan(name: string, check: Settings, workspace: string): Promise<PlannedText>
  /** Completes it from the base files. Text: why it cannot be run. */
  resolve(name: string, check: Settings, options: ResolveOptions): Promise<Resolved | string>
  open(name: string, check: Resolved, place: CheckSurroundings): Check
  /** Describes it for a certificate. */
  describe(name: string, check: Resolved, place: DescribeContext): Promise<CheckSummary>
  /** Files of the work that its command names and that decide its result. */
  filesNamed(check: Resolved): readonly string[]
  /** Only for kinds that have test runners. */
  observe?(check: Resolved, place: ObserveContext): NonNullable<OpenCheck['observe']>
  /** Its environment, if it has one. */
  env?(check: Resolved): Env
  /** The agent that it asks, which has read-only access. */
  reader?(check: Resolved): { readonly agent: AgentSettings; readonly timeoutMs: number }
  /** The commands that it runs in the workspace, for an agent that uses them. */
  commands?(name: string, check: Resolved): CommandChecks
}

export interface PlannedText {
  /** The command, the tool or the judging agent; empty if there is none. */
  readonly text: string
  /** Why a run would be refused. */
  readonly problem?: string
}

export interface ResolveOptions {
  readonly baseFiles: () => RunBaseFiles
  /** Commands of the run have no network. */
  readonly isOffline: boolean
  /** Warnings for the user are added here. */
  readonly problems: string[]
}

export type Env = Readonly<Record<string, string>>

export interface CheckSurroundings {
  readonly sandbox: Pick<OpenedSandbox, 'commandsFor'>
  /** Digest of what the results of a check with this environment depend on, apart from the files. */
  readonly surroundings: (env?: Env) => string
}

export interface DescribeContext {
  /** Contains the programs of checks that are files of the work. */
  readonly workspace: string
  /** The PATH that programs are found on. */
  readonly path: string | undefined
  /** The available tools, for the certificate. */
  readonly described: readonly ToolDescription[]
}

export interface ObserveContext extends Pick<CheckSurroundings, 'sandbox'> {
  /** How its test runners report. */
  readonly identity: Identity
  /** Variables that the dependencies set. */
  readonly layerEnv: Env
}

export type CheckSummary = Pick<OpenCheck, 'kind' | 'command' | 'toolDigest' | 'names'>
