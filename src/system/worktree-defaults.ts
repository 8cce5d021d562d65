/** Defaults of worktrees, for the code that creates them and the text that describes them. */

/** The branch of a run is `run/<name>`. */
export const branchPrefixDefault = 'run/'

export interface CarryRule {
  /** A glob relative to the top of the checkout: a file, or a folder with its content. */
  readonly path: string
  readonly by: 'copy' | 'link' | 'nothing'
}

/** The first matching rule applies. Files that match no rule are not carried over. */
export const carryRulesDefault: readonly CarryRule[] = [
  { path: '**/.env', by: 'copy' },
  { path: '**/.env.*', by: 'copy' },
  { path: '**/node_modules', by: 'copy' },
]
