/**
 * What a built-in loop type brings. Each is a folder here and one line of `registry.ts`; nothing else of the
 * program names one.
 *
 *   loop file ──▶ keys, roles, until, problems     checked by `protocol/`
 *             ──▶ prepare                          the loop that the engine drives
 *   run       ──▶ roles                            how its agents appear
 *             ──▶ operations                       routes, client methods and commands of this type
 */

import type { AnyLoopType } from '../engine/index.ts'
import type { Json, Remaining } from '../loop/index.ts'
import type { LoopFile, LoopFileType, SectionSettings } from '../protocol/index.ts'
import type { LoopOperation } from './loop-operation.ts'

export interface LoopTypeDefinition<Settings = unknown> extends LoopFileType<Settings> {
  /** The loop of a file. Rejects with `bad-template` and the like for what can be found before a run. */
  prepare(file: LoopFile<Settings>, given: LoopGiven): Promise<PreparedLoop>
  readonly operations?: readonly LoopOperation[]
}

/** What the loop of a file is made of, besides the file. */
export interface LoopGiven {
  /** Digest of all that the loop came from. */
  readonly version: string
  readonly input: { readonly [name: string]: Json }
  /** The prompts of the file by key, with the text of every section. */
  readonly prompts: ReadPrompts
}

export type ReadPrompts = { readonly [key: string]: readonly ReadSection[] }

export interface ReadSection extends SectionSettings {
  readonly text: string
  /** Where the text begins, for messages about its template. */
  readonly position: { readonly file: string; readonly line: number; readonly column: number }
}

export interface PreparedLoop {
  readonly loop: AnyLoopType
  /** What its templates expect to be given, such as `input.goal`. */
  readonly variables: readonly string[]
  /** What a person should know, and what a run can do without. */
  readonly warnings: readonly string[]
  /** What an agent would be told first; undefined where only running tells. */
  firstPrompt(beginning: Beginning): string | undefined
}

export interface Beginning {
  readonly workspace: string
  readonly remaining: Remaining
}
