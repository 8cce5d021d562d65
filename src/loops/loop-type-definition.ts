/**
 * The definition of a built-in loop type. Each is a folder here and one line in `registry.ts`; no other code refers to
 * a loop type by name, except the default, `defaultLoopType` in `protocol/`.
 *
 *   loop file ──▶ keys, roles, until, problems     checked by `protocol/`
 *             ──▶ prepare                          the loop that the engine drives
 *   run       ──▶ roles                            how its agents appear
 *             ──▶ operations                       routes, client methods and commands of this type
 */

import type { AnyLoopType } from '../engine/index.ts'
import type { EscalationThresholds, Json, Remaining } from '../loop/index.ts'
import type { PanelMaker } from '../protocol/api/index.ts'
import type { LoopFile, LoopFileType, SectionSettings, Unnamed } from '../protocol/index.ts'
import type { LoopOperation } from './loop-operation.ts'
import type { LoopPorts } from './loop-ports.ts'

export interface LoopTypeDefinition<Settings = unknown> extends LoopFileType<Settings> {
  /** Creates the loop of a file. Rejects, with `bad-template` for example, if it finds a problem before the run. */
  prepare(file: LoopFile<Settings>, options: PrepareOptions): Promise<PreparedLoop>
  /** The branch that `merge` uses if the file names none. Default: `agent/<loop>`. */
  mergeInto?(file: LoopFile<Settings>, input: PrepareOptions['input']): string
  /** The role that judges its work, and what it is asked, for `loopctl calibrate`. Absent: only its checks do. */
  judge?(
    file: LoopFile<Settings>,
    prompts: ReadPrompts,
  ): { readonly role: string; readonly prompt: string }
  readonly operations?: readonly LoopOperation[]
  /** Names of its input that a file need not declare, such as `spec`. */
  readonly inputs?: readonly string[]
  /**
   * Completes the input when a run is created. `read` returns a text file of the workspace, uncommitted or not.
   * Rejects with `bad-request` for what the user has to change.
   */
  completeInput?(
    file: LoopFile<Settings>,
    input: { readonly [name: string]: Json },
    read: (path: string) => Promise<CapturedFile | undefined>,
  ): Promise<{ readonly [name: string]: Json }>
  /** How ready a file is to run without a person, for `validate` and `preflight`. */
  audit?(file: Unnamed<LoopFile<Settings>>): Readiness
  /**
   * When its runs ask a person, where that differs from the default thresholds. A loop file can change each. False: only if
   * the file says so.
   */
  readonly escalate?: Partial<EscalationThresholds> | false
  /** What the page of a run shows of it, as data. */
  readonly panels?: PanelMaker
}

/** By the file alone. */
export interface Readiness {
  /** From 0 to 100. */
  readonly score: number
  /** What to add or change, the most important first. */
  readonly missing: readonly string[]
}

/** A file as it was when the run was created. Its path is relative to the root of the workspace. */
export type CapturedFile = { readonly path: string; readonly text: string }

/** The input of `prepare`, besides the file. */
export interface PrepareOptions {
  /** Digest of all files of the loop. */
  readonly version: string
  readonly input: { readonly [name: string]: Json }
  /** The prompts of the file by key, with the text of every section. */
  readonly prompts: ReadPrompts
  /** What its steps can use. Absent: the loop is only looked at, or created for a later start. */
  readonly ports?: LoopPorts
}

export type ReadPrompts = { readonly [key: string]: readonly ReadSection[] }

export interface ReadSection extends SectionSettings {
  readonly text: string
  /** Where the text starts, for messages about its template. */
  readonly position: { readonly file: string; readonly line: number; readonly column: number }
}

export interface PreparedLoop {
  readonly loop: AnyLoopType
  /** The variables that its templates expect, such as `input.goal`. */
  readonly variables: readonly string[]
  /** Warnings for the user. The loop can run anyway. */
  readonly warnings: readonly string[]
  /** The first prompt of the agent; undefined if it is only known during the run. */
  firstPrompt(start: RunStart): string | undefined
}

export interface RunStart {
  readonly workspace: string
  readonly remaining: Remaining
}
