/** Warns about uncommitted files before work on a commit, which does not have them. */

import { LoopError } from '../loop/index.ts'
import { pathInside } from '../system/index.ts'
import { listUncommitted, type Repository, runGit, worktreeFiles } from '../workspace/index.ts'

const shownMax = 5
/** Installed dependencies do not count even if git does not ignore them. */
const dependencies = /(?:^|\/)(?:node_modules|\.?venv)\/$/

/** The files of the loop itself do not count: they are not what is judged. `then`: what the commit is for, and what to do. */
export async function requireCommittedFiles(
  repository: Repository,
  commit: string,
  loopFiles: readonly string[],
  then: string,
): Promise<void> {
  const { checkout = '' } = repository
  const excluded = loopFiles.flatMap((path) => pathInside(checkout, path) ?? [])
  const found = await listUncommitted(runGit, worktreeFiles, repository, commit, excluded)
  const paths = found.filter((path) => !dependencies.test(path))
  if (paths.length === 0) return
  const named = paths.slice(0, shownMax).map((path) => Buffer.from(path, 'latin1').toString())
  const more = paths.length > shownMax ? ` and ${paths.length - shownMax} more` : ''
  const message = `${checkout} has uncommitted changes: ${named.join(', ')}${more}. ${then}`
  throw new LoopError('wrong-status', message)
}
