/**
 * A loop file as the program uses it: every default filled in, durations in milliseconds, money in
 * micro-dollars, sizes in bytes, times in milliseconds since 1970. Its written form is in
 * `loop-file-schema.ts`.
 *
 * These are the keys of every loop file. Those of its loop type are in `settings`, and declared by that type
 * (`loop-file-type.ts`).
 */

import {
  type Amount,
  type Condition,
  type EscalationThresholds,
  type ExistingFailure,
  type Json,
  type Limits,
  type ProgramName,
  programNames,
  type StandardCondition,
} from '../../loop/index.ts'
import type { AuthoritySettings } from './action-settings.ts'
import type { DeliverySink } from './deliver-schema.ts'
import type { PolicyFiles } from './policy-schema.ts'

export interface LoopFile<Settings = unknown> extends AuthoritySettings {
  /** The name of its loop type. */
  readonly loop: string
  readonly name: string
  readonly description?: string
  /** As written: relative to the folder of the file. Absent: the current directory of the command. */
  readonly workspace?: string
  readonly worktree: WorktreeSettings
  readonly input: { readonly [name: string]: Json }
  /** By role, in the order of the loop type, with its defaults filled in. */
  readonly agents: { readonly [role: string]: AgentSettings }
  /** Roles whose agents may read the workspace and change nothing. */
  readonly readers: readonly string[]
  /** Those of them that see nothing but their prompt. Absent: none. */
  readonly apart?: readonly string[]
  /** Absent: every built-in tool and every tool of the MCP servers. */
  readonly tools?: readonly string[]
  readonly mcp: { readonly [server: string]: McpServer }
  readonly checks: { readonly [name: string]: CheckSettings }
  /** Globs of what the agent may change without asking; `!` excludes. Empty: derived from the manifests. */
  readonly scope: readonly string[]
  readonly seals: SealSettings
  readonly certify: CertifySettings
  readonly until: readonly FileCondition[]
  readonly limits: Limits
  /** As written: relative to the folder of the file. Absent: only those of the configuration apply. */
  readonly policy?: PolicyFiles
  /** Absent: the triggers apply if a daemon drives the run unattended. */
  readonly escalate?: EscalateSettings
  readonly exclude: readonly string[]
  readonly sandbox: SandboxSettings
  /** The keys that belong to the loop type. */
  readonly settings: Settings
  /** Where the reports of its runs go. Absent: nowhere. */
  readonly delivers?: readonly DeliverySink[]
}

/** When the run asks a person for help. False: never. */
export type EscalateSettings =
  | false
  /** Thresholds that are absent are those of the loop type. */
  | (Partial<EscalationThresholds> & { readonly deadlineMs?: number })

/** Whether and how a run gets a separate git worktree. */
export interface WorktreeSettings {
  /** `auto`: if the workspace is the top of a git repository with a commit. */
  readonly use: 'auto' | boolean
  readonly provider: 'auto' | 'git' | 'worktrunk'
  /** Absent: the branch that is checked out. */
  readonly base?: string
  /** A template, relative to the main checkout. */
  readonly path?: string
  readonly branchPrefix?: string
  /** Which ignored files are carried over; the first matching rule decides. */
  readonly carry?: readonly {
    readonly path: string
    readonly by: 'copy' | 'link' | 'nothing'
  }[]
  readonly allowDirty: boolean
}

/** What commands may touch and use: the agent, tools, MCP servers and checks. */
export interface SandboxSettings {
  /** The weakest acceptable tier; `none`: no sandbox even if there is one. Absent: depends on whether the run is attended. */
  readonly require?: 'strong' | 'basic' | 'none'
  /** As written: relative to the folder of the file. */
  readonly readOnly: readonly string[]
  /** Relative to the workspace, and inside it. */
  readonly hide: readonly string[]
  /** `name:port`, or `*.name:port` for all subdomains. */
  readonly network: readonly string[]
  /** Only the ones that are set. */
  readonly limits: {
    readonly memoryBytes?: number
    readonly processes?: number
    readonly cpus?: number
    readonly cpuSeconds?: number
    readonly fileBytes?: number
    readonly outputBytes?: number
    readonly tmpBytes?: number
    readonly workspaceBytes?: number
  }
}

export type PromptSection = SectionSettings &
  ({ readonly text: string } | { readonly file: string })

export interface SectionSettings {
  readonly name: string
  /** Lower priorities are cut first. */
  readonly priority: number
  /** The same in every iteration, so it comes first. */
  readonly stable: boolean
  /** Which end to keep when it is cut. */
  readonly keep: 'start' | 'end'
  /** Never cut. */
  readonly required: boolean
}

/** Agent programs known by name. */
export const agentPrograms: typeof programNames = programNames
export type AgentProgramName = ProgramName

/** The values of `agent` that need no further settings. */
export const agentNames: readonly (AgentProgramName | 'repair')[] = [...agentPrograms, 'repair']

export type AgentSettings =
  | CommandAgentSettings
  | ProgramAgentSettings
  | AcpAgentSettings
  | ModelAgentSettings
  | RepairAgentSettings
  | ScriptAgentSettings

export interface CommandAgentSettings {
  readonly type: 'command'
  readonly command: readonly string[]
  /** The names of variables to pass. */
  readonly env: readonly string[]
  readonly timeoutMs: number
  /** It uses its own login: outside the sandbox and the gateway, and only in attended runs. */
  readonly subscription: boolean
}

/** Settings of agent programs, whatever protocol they speak. */
interface ProgramSettings {
  /** Absent: the default of the program. */
  readonly model?: string
  /** Appended to the arguments that it needs. */
  readonly args: readonly string[]
  readonly env: readonly string[]
  readonly timeoutMs: number
  /** How long it may print nothing while no model call is running. */
  readonly idleMs: number
  readonly subscription: boolean
}

/** A known program, started non-interactively for each iteration. */
export interface ProgramAgentSettings extends ProgramSettings {
  readonly type: 'program'
  readonly program: AgentProgramName
  readonly turnsMax?: number
}

/** An agent that speaks the Agent Client Protocol: a known one, or any command. */
export interface AcpAgentSettings extends ProgramSettings {
  readonly type: 'acp'
  readonly acp: AgentProgramName | readonly string[]
  readonly permissions: AcpPermissions
  /** Which of its authentication methods to use. Absent: none. */
  readonly auth?: string
}

/** What it may do when it asks: everything, all except commands and network, only read, nothing. */
export const acpPermissions = ['all', 'edits', 'reads', 'none'] as const
export type AcpPermissions = (typeof acpPermissions)[number]

/** Needs no model: it searches small edits until the checks pass. */
export interface RepairAgentSettings {
  readonly type: 'repair'
  readonly seed: number
  /** Per iteration. */
  readonly candidatesMax: number
  readonly timeMs: number
  /** The share of tests that the search never sees. */
  readonly heldBackShare: number
}

export interface ModelAgentSettings {
  readonly type: 'model'
  readonly model: string
  readonly system?: string
  readonly turnsMax: number
  readonly maxOutputTokens: number
  readonly temperature?: number
  readonly baseUrl?: string
  readonly apiKeyEnv?: string
}

export interface ScriptAgentSettings {
  readonly type: 'script'
  /** The turns of each iteration; the last list repeats. */
  readonly script: readonly (readonly ScriptTurn[])[]
}

/** Calls a tool, says something, or both. */
export type ScriptTurn = { readonly usage?: Partial<Amount> } & (
  | {
      readonly call: string
      readonly args: { readonly [name: string]: Json }
      readonly say?: string
    }
  | { readonly say: string }
)

export type McpServer =
  | {
      readonly type: 'stdio'
      readonly command: readonly string[]
      readonly env: readonly string[]
    }
  | {
      readonly type: 'http'
      readonly url: string
      /** As written, with `${NAME}` for environment variables. */
      readonly headers: { readonly [name: string]: string }
    }

export type CheckSettings =
  | CommandCheckSettings
  | ConditionCheckSettings
  | ToolCheckSettings
  | JudgeCheckSettings

/** Settings that every kind of check has. */
interface CheckOptions {
  readonly timeoutMs: number
  /** What to do about a failure that existed before the run. */
  readonly existing: ExistingFailure
  /** Paths in the workspace that it creates for later checks. */
  readonly outputs: readonly string[]
}

export interface CommandCheckSettings extends CheckOptions {
  readonly type: 'command'
  /** The program and its arguments. Text became `/bin/sh -c text`. */
  readonly command: readonly string[]
  readonly env: { readonly [name: string]: string }
  /** The JUnit XML report of its tests. */
  readonly junit?: string
}

/** The command depends on the files that the run starts from. */
export interface ConditionCheckSettings extends CheckOptions {
  readonly type: 'condition'
  readonly condition: StandardCondition
  readonly env: { readonly [name: string]: string }
}

export interface ToolCheckSettings extends CheckOptions {
  readonly type: 'tool'
  readonly tool: string
  readonly args: { readonly [name: string]: Json }
  /** The value that the call must return. Absent: success is enough. */
  readonly expect?: Json
}

/** An agent that may only read. */
export interface JudgeCheckSettings extends CheckOptions {
  readonly type: 'judge'
  readonly agent: AgentSettings
  readonly prompt: string
}

/** Which files judge the work, in addition to the known ones. */
export interface SealSettings {
  /** Globs over paths from the top of the workspace. */
  readonly paths: readonly string[]
  readonly except: readonly string[]
  /** By file: dotted keys. */
  readonly keys: { readonly [file: string]: readonly string[] }
  readonly changes: 'ask' | 'refuse'
}

/** How work is certified once the checks pass. */
export interface CertifySettings {
  /** Where a clean checkout gets its dependencies. */
  readonly dependencies: 'install' | 'resolve' | 'carry' | 'none'
  /** Packages whose install scripts may run, in the sandbox. */
  readonly installScripts: readonly string[]
  /** The least that the evidence must show. */
  readonly require: 'checks-pass' | 'work-alone' | 'red-to-green'
  /** Only the candidate, the base with the work, and one control run. */
  readonly quick: boolean
  readonly consult: readonly ConsultSettings[]
  /** How long a question waits for its answer. */
  readonly deadlineMs: number
}

/** Another agent that must approve. It may only read. */
export interface ConsultSettings {
  readonly name: string
  readonly agent: AgentSettings
  readonly prompt: string
  readonly timeoutMs: number
}

/** The conditions that are data: all except those with custom code. */
export type FileCondition =
  | Exclude<Condition, { type: 'custom' | 'any' | 'all' }>
  | { readonly type: 'any' | 'all'; readonly of: readonly FileCondition[] }

/** What is wrong, and where. */
export interface FileProblem {
  readonly path: readonly PropertyKey[]
  readonly reason: string
  /** It concerns the key, not its value. */
  readonly atKey?: boolean
}
