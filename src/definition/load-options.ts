/** What is said when a loop file is read, and what is seen of it before it is used. */

import type { LoopTypeDefinition } from '../loops/index.ts'
import type { Environment } from '../system/environment.ts'
import type { LoopChanges } from './loop-changes.ts'

/** A loop file as it is, before anything of it is used. */
export interface LoopPreview {
  /** The whole path. */
  readonly file: string
  /** Of its content, and that of every file it names. */
  readonly digest: string
  readonly trusted: boolean
  /** What it may do, for a person who is asked. */
  readonly powers: readonly string[]
  /** The variables of the environment that it uses, by name. */
  readonly variables: readonly string[]
}

/** Options of `loadLoop`. */
export interface LoadOptions {
  /** The folder of the record, where it is kept what is trusted. */
  readonly folder: string
  /** The folder to work in if the file names none. Default: the current folder. */
  readonly here?: string
  /** Values in place of those of the file. */
  readonly input?: Readonly<Record<string, string>>
  readonly environment?: Environment
  /** What is put in the place of what the file says; the run keeps it. */
  readonly changes?: LoopChanges
  /** For an agent whose file names no model; kept by the run like a change. */
  readonly defaultModel?: string | undefined
  /** Commands that must pass besides the checks of the file; kept in the same way. */
  readonly moreChecks?: LoopChanges['checks']
  /**
   * `look`: nothing of it will be opened, so data needs no trust. `resume`: a deadline that has
   * passed is the run's own business.
   */
  readonly purpose?: 'run' | 'resume' | 'look'
  /** The digest of the file as the user reviewed it: if the file is still the same, it is trusted. */
  readonly trust?: string | undefined
  /** Called with each line that the code of a loop prints. Default: they go to stderr. */
  readonly onLine?: (line: string) => void
  /** The loop types that a file can name; default: the built-in ones. */
  readonly types?: readonly LoopTypeDefinition[]
  /** Aborting it gives up the loading. */
  readonly signal?: AbortSignal
}
