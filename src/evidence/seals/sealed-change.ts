/** What the maker changed of the things that judge it. */

import type { Overlay } from '../parts.ts'

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

export interface SealedChange {
  readonly path: string
  /** In a file that is sealed by key: which one. */
  readonly key?: string
  readonly what: 'changed' | 'removed' | 'added' | 'renamed'
  readonly kind: SealKind
  /** One line for people; what the tree says in it is quoted and cut. */
  readonly summary: string
}

export interface SealedChanges {
  readonly changes: readonly SealedChange[]
  /** Put over the tree, it is judged by the base's sealed things. What is taken away comes first. */
  readonly overlay: Overlay
  /** Of the changes, each once: for `TreeReader.patch`. */
  readonly paths: readonly string[]
  /** Test files that only moved: no change, but people want to know. */
  readonly moved: readonly { readonly from: string; readonly to: string }[]
  /** Tests that the base does not have, and what lies with them: free, but they must not judge alone. */
  readonly freshTests: readonly string[]
  /** What cannot be put back (too long, a submodule): with one of these nothing can be certified unasked. */
  readonly unlaid: readonly string[]
}

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
