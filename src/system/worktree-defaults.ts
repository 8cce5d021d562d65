/** Defaults of worktrees, for the code that makes them and for the text that describes them. */

/** Of the branch of a run: `run/<name>`. */
export const branchPrefixDefault = 'run/'

export interface CarryRule {
  /** A glob over paths from the top of the checkout: a file, or a folder with all that is in it. */
  readonly path: string
  readonly by: 'copy' | 'link' | 'nothing'
}

/** The first that fits decides. What none fits stays behind. */
export const carryRulesDefault: readonly CarryRule[] = [
  { path: '**/.env', by: 'copy' },
  { path: '**/.env.*', by: 'copy' },
  { path: '**/node_modules', by: 'copy' },
]
