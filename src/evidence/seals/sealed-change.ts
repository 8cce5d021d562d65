/** What is sealed: never part of the work. */

export type SealKind =
  | 'test'
  | 'configuration'
  /** What a check starts. */
  | 'script'
  | 'dependencies'
  /** Loop files, policies, the configuration of this program. */
  | 'loop'
  /** What tools are told not to look at. */
  | 'ignore'

/** What a loop file says of seals, and what its checks name. */
export interface SealRules {
  /** Globs of what is sealed besides; new files that match are changes too. */
  readonly paths?: readonly string[]
  /** Globs of what is not, whatever else says so. */
  readonly except?: readonly string[]
  /** Dotted keys by glob of the file: `{ 'package.json': ['config.port'] }`. */
  readonly keys?: { readonly [file: string]: readonly string[] }
  /** Files that the commands of checks name (`OpenCheck.names`). */
  readonly names?: readonly string[]
  /** Where the loop's own files lie in the tree, if they do. */
  readonly loopFiles?: readonly string[]
}
