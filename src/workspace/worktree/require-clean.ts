/** Rejects uncommitted changes in the user's checkout, which a run that starts from a commit would not see. */

import { requireCommitted } from '../git/checkout-changes.ts'
import type { Base } from '../git/find-base.ts'
import type { Repository } from '../git/repository.ts'
import type { Tools } from './open-work-tree.ts'
import { readRecords } from './worktree-record.ts'

/** Paths in `ignoredPaths` do not count, nor do worktrees inside the checkout. */
export async function requireClean(
  tools: Pick<Tools, 'git' | 'files'>,
  repository: Repository,
  { commit, isCheckedOut }: Pick<Base, 'commit' | 'isCheckedOut'>,
  ignoredPaths: readonly string[] = [],
): Promise<void> {
  const known = isCheckedOut ? commit : undefined
  const ignored = [...ignoredPaths, ...(await listWorktreePaths(tools, repository))]
  await requireCommitted(tools.git, tools.files, repository, known, ignored)
}

async function listWorktreePaths(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
): Promise<readonly string[]> {
  const top = `${repository.checkout ?? repository.home}/`
  const records = await readRecords(files, repository)
  return records.flatMap(({ path }) => (path.startsWith(top) ? [path.slice(top.length)] : []))
}
