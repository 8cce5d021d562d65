/**
 * A loop file in TypeScript: the keys of a YAML loop file, with code where YAML has only names.
 *
 *   export default defineLoop({ name: 'sum', loop: { createContext, iterate, extractProgress } })
 *
 * It runs in a separate process, so arguments and return values of its parts are JSON.
 */

import type { Agent } from '../../agents/index.ts'
import type { Actions, Check, Gate, Hook } from '../../engine/index.ts'
import type {
  Condition,
  ExistingFailure,
  Json,
  LoopType,
  StandardCondition,
} from '../../loop/index.ts'
import type { agentNames } from '../../protocol/index.ts'
import type { Tool } from '../../tools/index.ts'

/** A duration with its unit: `500ms`, `30s`, `10m`, `2h`, `1d`. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** A size with its unit, each 1024 times the one before: `64KB`, `512MB`, `4GB`. */
export type Size = `${number}${'B' | 'KB' | 'MB' | 'GB'}`

/** The default export of a loop file in TypeScript: the keys of a YAML loop file, with code where YAML has names. */
export interface CodeLoop<Input = never, Context = never, Progress = never, Result = never> {
  /** A loop type in code, or the name of a built-in one; default: `plain`. */
  readonly loop?: string | LoopType<Input, Context, Progress, Result>
  readonly name?: string
  readonly description?: string
  /** Relative to the file. */
  readonly workspace?: string
  /** A git worktree for each run; default: `auto`. */
  readonly worktree?: 'auto' | boolean | CodeLoopWorktree
  readonly input?: Json
  /** Text, not a file: only imported files are covered by the trust. */
  readonly prompt?: string | readonly CodeLoopSection[]
  /** An agent in code, the name of a known agent, or its settings. */
  readonly agent?: Agent | KnownAgent | { readonly [key: string]: Json }
  /** The agents by role, for a loop type that works with several; `agent` is the short form for `maker`. */
  readonly agents?: { readonly [role: string]: KnownAgent | { readonly [key: string]: Json } }
  /** Names of available tools, and tools in code. */
  readonly tools?: readonly (string | Tool)[]
  readonly mcp?: { readonly [server: string]: { readonly [key: string]: Json } }
  /** A list contains standard conditions, and checks with their names. */
  readonly checks?:
    | { readonly [name: string]: Check | CodeLoopCommand | CodeLoopCheck }
    | readonly (StandardCondition | (CodeLoopCheck & { readonly name: string }))[]
  /** Globs of files that the agent may change without asking; `!` excludes. Default: from the manifests. */
  readonly scope?: readonly string[]
  readonly seals?: {
    readonly paths?: readonly string[]
    readonly except?: readonly string[]
    readonly keys?: { readonly [file: string]: readonly string[] }
    readonly changes?: 'ask' | 'refuse'
  }
  readonly certify?:
    | 'quick'
    | {
        readonly dependencies?: 'install' | 'resolve' | 'carry' | 'none'
        readonly installScripts?: readonly string[]
        readonly require?: 'checks-pass' | 'work-alone' | 'red-to-green'
        readonly quick?: boolean
        /** @deprecated Use `quick`. */
        readonly teeth?: boolean
        readonly consult?: readonly {
          readonly name: string
          readonly agent: KnownAgent | { readonly [key: string]: Json }
          readonly prompt: string
          readonly timeout?: Duration
        }[]
        readonly deadline?: Duration
      }
  /** For the loop type `plain`; a loop type in code has its own conditions. */
  readonly until?: readonly Exclude<Condition, { readonly type: 'custom' }>[]
  readonly limits?: {
    readonly iterations?: number
    readonly tokens?: number
    readonly inputTokens?: number
    readonly outputTokens?: number
    /** In dollars. */
    readonly cost?: number
    readonly time?: Duration
    readonly deadline?: string
    readonly sameErrors?: number
    readonly iteration?: {
      readonly time?: Duration
      readonly tokens?: number
      readonly cost?: number
    }
    readonly agents?: {
      readonly [role: string]: {
        readonly calls?: number
        readonly tokens?: number
        readonly inputTokens?: number
        readonly outputTokens?: number
        readonly cost?: number
      }
    }
    readonly warnAt?: number
  }
  /** Ask a person when the run makes no progress or changes too much. Default: true for an unattended run that a daemon drives. */
  readonly escalate?:
    | boolean
    | {
        readonly sameErrors?: number
        readonly verifications?: number
        readonly withoutChange?: number
        readonly testRuns?: number
        readonly files?: number
        readonly filesPer?: 'run' | 'iteration'
        readonly deadline?: Duration
      }
  readonly context?: { readonly tokens?: number }
  readonly progress?: { readonly entries?: number; readonly chars?: number }
  readonly exclude?: readonly string[]
  readonly sandbox?: CodeLoopSandbox
  readonly hooks?: readonly Hook[]
  readonly gate?: Gate
  readonly actions?: Actions
  /** Environment variables that its code may read after loading. Others are not visible. */
  readonly env?: readonly string[]
}

export type KnownAgent = (typeof agentNames)[number]

export interface CodeLoopSection {
  readonly name: string
  readonly text: string
  readonly priority?: number
  readonly stable?: boolean
  readonly keep?: 'start' | 'end'
  readonly required?: boolean
}

export interface CodeLoopWorktree {
  readonly use?: 'auto' | boolean
  readonly provider?: 'auto' | 'git' | 'worktrunk'
  readonly base?: string
  readonly path?: string
  readonly branchPrefix?: string
  readonly carry?: readonly { readonly path: string; readonly by?: 'copy' | 'link' | 'nothing' }[]
  readonly allowDirty?: boolean
}

/** What commands may access. The code of the file itself does not run in the sandbox. */
export interface CodeLoopSandbox {
  /** The minimum tier. `none`: no sandbox, even if one is available; attended runs only. */
  readonly require?: 'strong' | 'basic' | 'none'
  /** Relative to the file. */
  readonly readOnly?: readonly string[]
  /** Relative to the workspace, and inside it. */
  readonly hide?: readonly string[]
  /** `name` or `name:port`; `*.name` for all subdomains. */
  readonly network?: readonly string[]
  readonly limits?: {
    readonly memory?: Size
    readonly processes?: number
    readonly cpus?: number
    readonly cpuTime?: Duration
    readonly file?: Size
    readonly output?: Size
    readonly tmp?: Size
    readonly workspace?: Size
  }
}

/** Text runs with `/bin/sh -c`, a list without a shell. */
export type CodeLoopCommand = string | readonly string[]

/** A check that is data; its keys determine its kind. */
export type CodeLoopCheck = {
  readonly timeout?: Duration
  readonly existing?: ExistingFailure
  readonly outputs?: readonly string[]
} & (
  | {
      readonly run: string | readonly string[]
      readonly env?: { readonly [name: string]: string }
    }
  | {
      readonly condition: StandardCondition
      readonly env?: { readonly [name: string]: string }
    }
  | {
      readonly tool: string
      readonly args?: { readonly [name: string]: Json }
      readonly expect?: Json
    }
  | {
      readonly judge: KnownAgent | { readonly [key: string]: Json }
      readonly prompt: string
    }
)

/** Types a loop; returns it unchanged. */
export function defineLoop<Input, Context, Progress, Result>(
  loop: CodeLoop<Input, Context, Progress, Result>,
): CodeLoop<Input, Context, Progress, Result> {
  return loop
}
