/**
 * A loop file that was read, checked and trusted. It is data: reading opens nothing, and `openLoop` starts what a
 * run needs (ADR 0067).
 */

import type { ScannedLoop } from '../definition/code-loop/scan-code-loop.ts'
import type { NamedPolicy } from '../definition/loop-file/read-loop-file.ts'
import type { Json, Limits, Source } from '../loop/index.ts'
import type { ReadPrompts } from '../loops/index.ts'
import type {
  AgentSettings,
  LoopFile,
  SandboxSettings,
  WorktreeSettings,
} from '../protocol/index.ts'
import type { LoopDescription } from './code-loop/wire.ts'

/** A loop file that was read, checked and trusted: data, which `openLoop` opens for one run. */
export interface LoadedLoop {
  readonly name: string
  readonly source: Source
  /** The file and those that it names, which are not part of the work: absolute paths. */
  readonly files: readonly string[]
  readonly input: Json
  readonly limits: Partial<Limits>
  /** The policy files of the file and of the project; those of the user apply as well. */
  readonly policies: readonly NamedPolicy[]
  /** Who works, by role, and in which sandbox: as in the file, with the changes for this run. */
  readonly agents: { readonly [role: string]: AgentSettings }
  readonly sandbox: SandboxSettings
  /** The folder to work in, unless the user names another. */
  readonly workspace: string
  /** Whether a run gets a worktree of it, unless the user decides otherwise. */
  readonly worktree: WorktreeSettings
  readonly powers: readonly string[]
  /** Problems that the user should know about and that do not prevent a run. */
  readonly warnings: readonly string[]
  /** What its templates expect as input, such as `input.goal`. */
  readonly variables: readonly string[]
  /** What it was read for. A file that was read for `look` may be untrusted, and is not opened. */
  readonly purpose: 'run' | 'resume' | 'look'
  readonly definition: LoopDefinition
}

/** What the parts of a run are made from. */
export type LoopDefinition =
  | { readonly type: 'file'; readonly file: LoopFile; readonly typed: TypedLoop }
  | (CodeDefinition & { readonly typed: TypedLoop })
  /** The loop type is code, too. */
  | (CodeDefinition & { readonly typed: undefined })

interface CodeDefinition {
  readonly type: 'code'
  readonly file: LoopFile
  readonly scanned: ScannedLoop
  readonly described: LoopDescription
}

/** A loop of a registered type, which is found again by its name. */
export interface TypedLoop {
  readonly loopType: string
  /** Digest of all that the loop came from. */
  readonly version: string
  /** The prompts by key, with the changes for this run. */
  readonly prompts: ReadPrompts
}
