/** Whoever starts from a commit does not see what is in the person's checkout alone: that is refused. */

import type { Base } from './base-branch.ts'
import { requireCommitted } from './look-at-checkout.ts'
import type { Tools } from './open-work-tree.ts'
import type { Repository } from './repository.ts'
import { readRecords } from './worktree-record.ts'

/** Of what is new, `apart` does not count, nor do worktrees, which may lie in the checkout itself. */
export async function requireClean(
  tools: Pick<Tools, 'git' | 'files'>,
  repository: Repository,
  { commit, isCheckedOut }: Pick<Base, 'commit' | 'isCheckedOut'>,
  apart: readonly string[] = [],
): Promise<void> {
  const known = isCheckedOut ? commit : undefined
  const passed = [...apart, ...(await ourPaths(tools, repository))]
  await requireCommitted(tools.git, tools.files, repository, known, passed)
}

async function ourPaths(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
): Promise<readonly string[]> {
  const top = `${repository.checkout ?? repository.home}/`
  const records = await readRecords(files, repository)
  return records.flatMap(({ path }) => (path.startsWith(top) ? [path.slice(top.length)] : []))
}
