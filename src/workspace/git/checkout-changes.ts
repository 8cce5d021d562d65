/**
 * Reads the user's checkout: uncommitted changes and ignored files. Settings, filters and monitors of the
 * repository have no effect, and not even its index is refreshed.
 */

import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { type Bytes, fromText, toDisplay } from '../bytes.ts'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'
import { ignorePattern } from './ignore-pattern.ts'
import { listDifferences, splitNul } from './list-changes.ts'
import { createPrivateGitDir } from './private-git-dir.ts'
import { emptyTree, type ObjectId, resolveCommit } from './refs.ts'
import type { Repository } from './repository.ts'
import type { GitLocation, RunGit } from './run-git.ts'

const shownMax = 5

/**
 * Paths that are changed, staged or new. `known` is the commit that is checked out. Paths in `ignoredPaths` do not count,
 * nor does what is new below them.
 */
export async function listUncommitted(
  git: RunGit,
  files: WorktreeFiles,
  repository: Repository,
  known?: ObjectId,
  ignoredPaths: readonly string[] = [],
): Promise<readonly Bytes[]> {
  const { checkout } = repository
  if (checkout === undefined) return []
  const head = known ?? (await resolveCommit(git, repository, 'HEAD', repository.gitDir))
  const at = await createReadLocation(files, repository, checkout)
  // Without a commit every file is new.
  const excludes = ignoredPaths.map(ignorePattern)
  const found = await listDifferences(git, at, head ?? emptyTree(repository), excludes)
  const ignored = new Set(ignoredPaths.map(fromText))
  return found.filter((path) => !ignored.has(path))
}

export async function requireCommitted(
  git: RunGit,
  files: WorktreeFiles,
  repository: Repository,
  known?: ObjectId,
  ignoredPaths?: readonly string[],
): Promise<void> {
  const paths = await listUncommitted(git, files, repository, known, ignoredPaths)
  if (paths.length === 0) return
  const named = paths
    .slice(0, shownMax)
    .map((path) => toDisplay(path))
    .join(', ')
  const more = paths.length > shownMax ? ` and ${paths.length - shownMax} more` : ''
  const advice =
    'A run starts from a commit and would not see them. Commit them (git add, git commit), ignore private files (.git/info/exclude), stash them (git stash -u), allow them (--allow-dirty; in code: allowDirty), or work directly in the folder (--in-place).'
  const message = `${repository.checkout} has uncommitted changes: ${named}${more}. ${advice}`
  throw new LoopError('wrong-status', message)
}

/** Ignored files, and completely ignored folders, which end in a slash. */
export async function listIgnored(
  git: RunGit,
  files: WorktreeFiles,
  repository: Repository,
): Promise<readonly Bytes[]> {
  const { checkout } = repository
  if (checkout === undefined) return []
  const { stdout } = await git({
    at: await createReadLocation(files, repository, checkout),
    command: 'ls-files',
    options: ['-z', '--others', '--ignored', '--exclude-standard', '--directory'],
  })
  return splitNul(stdout)
}

async function createReadLocation(
  files: WorktreeFiles,
  repository: Repository,
  checkout: string,
): Promise<GitLocation> {
  const path = join(repository.commonDir, 'loopwright', 'look')
  const own = await createPrivateGitDir(files, { repository, path, exact: false })
  return own.at(checkout, join(repository.gitDir, 'index'))
}
