/**
 * The person's own checkout, only looked at: what is not committed, and what is ignored. Settings,
 * filters and monitors of the repository have no part in it, and not even its index is refreshed.
 */

import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { type Bytes, show } from '../bytes.ts'
import { ignorePattern } from './ignore-pattern.ts'
import { pathsUnlike, split } from './list-changes.ts'
import { makeOwnDirectory } from './own-directory.ts'
import { commitOf, emptyTree, type ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import type { GitPlace, RunGit } from './run-git.ts'
import type { WorktreeFiles } from './worktree-files.ts'

const shownMax = 5

/**
 * Paths that are changed, staged or new. `known` is the commit that is checked out; of what is new,
 * `apart` does not count.
 */
export async function uncommitted(
  git: RunGit,
  files: WorktreeFiles,
  repository: Repository,
  known?: ObjectId,
  apart: readonly string[] = [],
): Promise<readonly Bytes[]> {
  const { checkout } = repository
  if (checkout === undefined) return []
  const head = known ?? (await commitOf(git, repository, 'HEAD', repository.gitDir))
  const at = await placeOf(files, repository, checkout)
  // Without a commit everything is new.
  return pathsUnlike(git, at, head ?? emptyTree(repository), apart.map(ignorePattern))
}

export async function requireCommitted(
  git: RunGit,
  files: WorktreeFiles,
  repository: Repository,
  known?: ObjectId,
  apart?: readonly string[],
): Promise<void> {
  const paths = await uncommitted(git, files, repository, known, apart)
  if (paths.length === 0) return
  const named = paths
    .slice(0, shownMax)
    .map((path) => show(path))
    .join(', ')
  const more = paths.length > shownMax ? ` and ${paths.length - shownMax} more` : ''
  const advice =
    'A run starts from a commit and would not see them. Commit them (git add, git commit), have git ignore those that are only yours (.git/info/exclude), put them aside (git stash -u), allow it (--allow-dirty; in code: allowDirty), or work in the folder itself (--in-place).'
  const message = `${repository.checkout} has uncommitted changes: ${named}${more}. ${advice}`
  throw new LoopError('wrong-status', message)
}

/** Ignored files, and folders that are ignored as a whole, which end in a slash. */
export async function ignoredPaths(
  git: RunGit,
  files: WorktreeFiles,
  repository: Repository,
): Promise<readonly Bytes[]> {
  const { checkout } = repository
  if (checkout === undefined) return []
  const { stdout } = await git({
    at: await placeOf(files, repository, checkout),
    command: 'ls-files',
    options: ['-z', '--others', '--ignored', '--exclude-standard', '--directory'],
  })
  return split(stdout)
}

async function placeOf(
  files: WorktreeFiles,
  repository: Repository,
  checkout: string,
): Promise<GitPlace> {
  const path = join(repository.commonDir, 'loopwright', 'look')
  const own = await makeOwnDirectory(files, { repository, path, exact: false })
  return own.at(checkout, join(repository.gitDir, 'index'))
}
