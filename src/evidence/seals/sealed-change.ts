/** What is sealed, and never part of the work. */

export type SealKind =
  | 'test'
  | 'configuration'
  /** What a check runs. */
  | 'script'
  | 'dependencies'
  /** Loop files, policies, the configuration of this program. */
  | 'loop'
  /** What tools are told to ignore. */
  | 'ignore'

/** The seals of a loop file, and the files that its checks name. */
export interface SealRules {
  /** Globs of additional sealed files; new files that match count as changes. */
  readonly paths?: readonly string[]
  /** Globs of files that are not sealed, whatever other rules say. */
  readonly except?: readonly string[]
  /** Dotted keys by glob of the file: `{ 'package.json': ['config.port'] }`. */
  readonly keys?: { readonly [file: string]: readonly string[] }
  /** Files that the commands of checks name (`OpenCheck.names`). */
  readonly names?: readonly string[]
  /** The loop's own files in the tree, if there are any. */
  readonly loopFiles?: readonly string[]
}
