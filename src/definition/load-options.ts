/** Options of loading a loop file, and its preview. */

import type { LoopTypeDefinition } from '../loops/index.ts'
import type { Environment } from '../system/environment.ts'
import type { LoopChanges } from './loop-changes.ts'

/** A loop file before anything in it is used. */
export interface LoopPreview {
  /** The absolute path. */
  readonly file: string
  /** Covers its content and that of every file it names. */
  readonly digest: string
  readonly trusted: boolean
  /** What it may do, for the user who is asked to trust it. */
  readonly powers: readonly string[]
  /** The names of the environment variables that it uses. */
  readonly variables: readonly string[]
}

/** Options of `loadLoop`. */
export interface LoadOptions {
  /** The state folder, which contains the list of trusted files. */
  readonly folder: string
  /** The folder to work in if the file names none. Default: the current folder. */
  readonly here?: string
  /** Values that override those of the file. */
  readonly input?: Readonly<Record<string, string>>
  readonly environment?: Environment
  /** Overrides of the file; stored with the run. */
  readonly changes?: LoopChanges
  /** The model of an agent if the file names none; stored with the run, like `changes`. */
  readonly defaultModel?: string | undefined
  /** Commands that must pass in addition to the checks of the file; stored in the same way. */
  readonly moreChecks?: LoopChanges['checks']
  /** Policy files of the project, as absolute paths; stored in the same way. */
  readonly policy?: LoopChanges['policy']
  /** Keys by loop type that apply where the file does not have them; stored in the same way. */
  readonly defaults?: { readonly [loopType: string]: NonNullable<LoopChanges['defaults']> }
  /** The longest time that an agent may work; stored in the same way. */
  readonly agentTimeMs?: number
  /** Models by role, for agents of which the file names none; stored in the same way. */
  readonly models?: LoopChanges['models']
  /**
   * `look`: nothing is opened, so a file that is data needs no trust. `resume`: a deadline in the past is accepted,
   * since the run handles it.
   */
  readonly purpose?: 'run' | 'resume' | 'look'
  /** The digest that the user reviewed: the file is trusted if its digest is still the same. */
  readonly trust?: string | undefined
  /** Called with each line that the code of a loop prints. Default: printed to stderr. */
  readonly onLine?: (line: string) => void
  /** The loop types that a file can name; default: the built-in ones. */
  readonly types?: readonly LoopTypeDefinition[]
  /** Aborting it cancels the loading. */
  readonly signal?: AbortSignal
}
