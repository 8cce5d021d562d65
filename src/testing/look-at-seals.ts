/** Sealed changes between two trees in memory, short enough to be compared in a table. */

import { type SealedChanges, type SealRules, sealedChanges } from '../evidence/index.ts'
import { createMemoryTrees, type TreeContent } from './memory-trees.ts'

export type TreeFiles = { readonly [path: string]: TreeContent }

export interface SeenSeals extends SealedChanges {
  /** What the tree is with the overlay put over it. */
  readonly laid: { readonly [path: string]: string }
}

export async function lookAtSeals(
  before: TreeFiles,
  after: TreeFiles,
  rules: SealRules = {},
): Promise<SeenSeals> {
  const trees = createMemoryTrees()
  const [base, tree] = [trees.put(before), trees.put(after)]
  const found = await sealedChanges(trees, base, tree, rules)
  return { ...found, laid: trees.over(tree, found.overlay) }
}

/** `changed script package.json scripts.test` */
export const saidOfSeals = ({ changes }: SealedChanges): readonly string[] =>
  changes.map(({ what, kind, path, key }) =>
    [what, kind, path, ...(key === undefined ? [] : [key])].join(' '),
  )
