/**
 * A loop file as the program works with it: every default filled in, durations in milliseconds, money
 * in micro-dollars, sizes in bytes, moments in milliseconds since 1970. How it is written is in `loop-file-schema.ts`.
 *
 * What is here belongs to every loop file. What a loop type adds is in `settings`, and is declared by that type
 * (`loop-file-type.ts`).
 */

import {
  type Amount,
  type Condition,
  type ExistingFailure,
  type Json,
  type Limits,
  type ProgramName,
  programNames,
  type StandardCondition,
} from '../loop/index.ts'

export interface LoopFile<Settings = unknown> {
  /** The name of its loop type. */
  readonly loop: string
  readonly name: string
  readonly description?: string
  /** As it is written: relative to the folder of the file. Absent: where the command is run. */
  readonly workspace?: string
  readonly worktree: WorktreeSettings
  readonly input: { readonly [name: string]: Json }
  /** By role, in the order of the loop type, with its defaults filled in. */
  readonly agents: { readonly [role: string]: AgentSettings }
  /** Roles whose agents may read the workspace and change nothing. */
  readonly readers: readonly string[]
  /** Absent: every built-in tool and every tool of the servers. */
  readonly tools?: readonly string[]
  readonly mcp: { readonly [server: string]: McpServer }
  readonly checks: { readonly [name: string]: CheckSettings }
  /** Globs over what the agent may change without asking; `!` excludes. Empty: derived from the manifests. */
  readonly scope: readonly string[]
  readonly seals: SealSettings
  readonly certify: CertifySettings
  readonly until: readonly FileCondition[]
  readonly limits: Limits
  readonly exclude: readonly string[]
  readonly sandbox: SandboxSettings
  /** The keys that belong to the loop type. */
  readonly settings: Settings
}

/** Whether a run gets a git worktree of its own, and how. */
export interface WorktreeSettings {
  /** `auto`: where the workspace is the top of a git repository that has a commit. */
  readonly use: 'auto' | boolean
  readonly provider: 'auto' | 'git' | 'worktrunk'
  /** Absent: the branch that is checked out. */
  readonly base?: string
  /** A template, relative to the main checkout. */
  readonly path?: string
  readonly branchPrefix?: string
  /** Which ignored files are brought along; the first rule that fits decides. */
  readonly carry?: readonly {
    readonly path: string
    readonly by: 'copy' | 'link' | 'nothing'
  }[]
  readonly allowDirty: boolean
}

/** What commands may touch and use: the agent, tools, MCP servers and checks. */
export interface SandboxSettings {
  /** At least this, attended or not; `none`: no walls, though there may be some. Absent: as it is run. */
  readonly require?: 'strong' | 'basic' | 'none'
  /** As they are written: relative to the folder of the file. */
  readonly readOnly: readonly string[]
  /** Relative to the workspace, and inside it. */
  readonly hide: readonly string[]
  /** `name:port`, or `*.name:port` for all names below it. */
  readonly network: readonly string[]
  /** Only those that were given. */
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
  /** What has less is cut first. */
  readonly priority: number
  /** It is the same in every iteration, so it comes first. */
  readonly stable: boolean
  /** Which end stays when it is cut. */
  readonly keep: 'start' | 'end'
  /** It is never cut. */
  readonly required: boolean
}

/** Agent programs that are known by their names. */
export const agentPrograms: typeof programNames = programNames
export type AgentProgramName = ProgramName

/** What `agent` may be without further settings. */
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
  /** Names of variables that it is given. */
  readonly env: readonly string[]
  readonly timeoutMs: number
  /** It uses a login of its own: outside the sandbox and the gateway, and only where somebody watches. */
  readonly subscription: boolean
}

/** What a program is given, whatever it speaks. */
interface ProgramSettings {
  /** Absent: the one that is usual for the program. */
  readonly model?: string
  /** Further arguments, behind those that it needs. */
  readonly args: readonly string[]
  readonly env: readonly string[]
  readonly timeoutMs: number
  /** How long it may be silent while no model works for it. */
  readonly idleMs: number
  readonly subscription: boolean
}

/** A program that is known, started without a person for each iteration. */
export interface ProgramAgentSettings extends ProgramSettings {
  readonly type: 'program'
  readonly program: AgentProgramName
  readonly turnsMax?: number
}

/** An agent that speaks the Agent Client Protocol: one that is known, or any command. */
export interface AcpAgentSettings extends ProgramSettings {
  readonly type: 'acp'
  readonly acp: AgentProgramName | readonly string[]
  readonly permissions: AcpPermissions
  /** Which of the ways to authenticate that it offers it is told to use; none unless told. */
  readonly auth?: string
}

/** What it may do when it asks: everything, all but commands and the network, only look, nothing. */
export const acpPermissions = ['all', 'edits', 'reads', 'none'] as const
export type AcpPermissions = (typeof acpPermissions)[number]

/** It needs no model: it searches small edits until the checks pass. */
export interface RepairAgentSettings {
  readonly type: 'repair'
  readonly seed: number
  /** Of one iteration. */
  readonly candidatesMax: number
  readonly timeMs: number
  /** How much of the tests the search never sees. */
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
  /** The turns of each iteration; those of the last are used again. */
  readonly script: readonly (readonly ScriptTurn[])[]
}

/** It calls a tool, or says something, or both. */
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
      /** With `${NAME}` for variables of the environment, as they are written. */
      readonly headers: { readonly [name: string]: string }
    }

export type CheckSettings =
  | CommandCheckSettings
  | ConditionCheckSettings
  | ToolCheckSettings
  | JudgeCheckSettings

/** What every check has. */
interface CheckOptions {
  readonly timeoutMs: number
  /** What becomes of a failure that was there before the run began. */
  readonly existing: ExistingFailure
  /** Paths in the workspace that it makes and later checks need. */
  readonly outputs: readonly string[]
}

export interface CommandCheckSettings extends CheckOptions {
  readonly type: 'command'
  /** The program and its arguments. Text was made into `/bin/sh -c text`. */
  readonly command: readonly string[]
  readonly env: { readonly [name: string]: string }
  /** A report of its tests in JUnit XML that it writes. */
  readonly junit?: string
}

/** Which command it is depends on the files that the run starts from. */
export interface ConditionCheckSettings extends CheckOptions {
  readonly type: 'condition'
  readonly condition: StandardCondition
  readonly env: { readonly [name: string]: string }
}

export interface ToolCheckSettings extends CheckOptions {
  readonly type: 'tool'
  readonly tool: string
  readonly args: { readonly [name: string]: Json }
  /** What the call must give. Absent: that it succeeds is enough. */
  readonly expect?: Json
}

/** An agent that may only read. */
export interface JudgeCheckSettings extends CheckOptions {
  readonly type: 'judge'
  readonly agent: AgentSettings
  readonly prompt: string
}

/** What of the files judges the work, besides what is known to. */
export interface SealSettings {
  /** Globs over paths from the top of the workspace. */
  readonly paths: readonly string[]
  readonly except: readonly string[]
  /** By file: keys with dots between their parts. */
  readonly keys: { readonly [file: string]: readonly string[] }
  readonly changes: 'ask' | 'refuse'
}

/** How work is certified once the checks pass. */
export interface CertifySettings {
  /** Where a clean checkout has its dependencies from. */
  readonly dependencies: 'install' | 'resolve' | 'carry' | 'none'
  /** Names of packages whose install scripts are run, in the sandbox. */
  readonly installScripts: readonly string[]
  /** What the evidence must show at least. */
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

/** The conditions that are data: all but those with code of their own. */
export type FileCondition =
  | Exclude<Condition, { type: 'custom' | 'any' | 'all' }>
  | { readonly type: 'any' | 'all'; readonly of: readonly FileCondition[] }

/** Where something is wrong, and what. */
export interface FileProblem {
  readonly path: readonly PropertyKey[]
  readonly reason: string
  /** It is about the key, not about its value. */
  readonly atKey?: boolean
}
