/** Makes a worktree ready to be snapshotted and restored, and tells git's own commands of it. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fromText } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { createStatCache } from '../stat-cache.ts'
import { adminDir } from './check-worktree.ts'
import { ignorePattern } from './ignore-pattern.ts'
import { makeOwnDirectory } from './own-directory.ts'
import type { Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'
import { removeScratches, type WorkTree } from './work-tree.ts'
import { linkOrCopy, type WorktreeFiles } from './worktree-files.ts'
import type { WorktreeRecord } from './worktree-record.ts'

export interface Tools {
  readonly git: RunGit
  readonly files: WorktreeFiles
  readonly now: () => number
}

/** A worktree that is registered. */
export type KnownWorktree = WorktreeRecord & { readonly id: string }

export async function openWorkTree(
  { git, files, now }: Tools,
  repository: Repository,
  { id, path, carried }: Pick<KnownWorktree, 'id' | 'path' | 'carried'>,
  exclude: readonly string[] = [],
): Promise<WorkTree> {
  const own = await makeOwnDirectory(files, {
    repository,
    // git removes it together with the worktree's own folder.
    path: join(adminDir(repository, id), 'loopwright'),
    exact: true,
    excludes: [...carried, ...exclude].map((one) => fromText(ignorePattern(one))),
  })
  await removeScratches(files, own.path)
  await removeScratches(files, adminDir(repository, id))
  return {
    root: fromText(path),
    path,
    files,
    git,
    repository,
    own,
    // Whatever the ignore rules of the work tree say: a key that was carried over is never committed.
    exclusions: createExclusions([...carried, ...exclude]),
    cache: createStatCache(now),
    now,
    memory: {},
  }
}

/**
 * Makes the index that people and agents see in the worktree agree with the branch: without it every
 * change of the last iteration would look like one that was taken back.
 */
export async function showIndex(files: WorktreeFiles, tree: WorkTree, id: string): Promise<void> {
  const admin = adminDir(tree.repository, id)
  const temporary = join(admin, `index.${randomUUID()}`)
  try {
    // git replaces an index and never writes into one, so both names can share it.
    await linkOrCopy(files, tree.own.indexFile, temporary)
    await files.rename(temporary, join(admin, 'index'))
  } finally {
    // A rename between two names of one file does nothing.
    await files.unlink(temporary).catch(() => {})
  }
}

/** For one that git was told of anew: it has none. */
export async function showIndexIfNone(
  files: WorktreeFiles,
  tree: WorkTree,
  id: string,
): Promise<void> {
  const index = join(adminDir(tree.repository, id), 'index')
  const seen = await files.lstat(index).catch(() => undefined)
  if (seen === undefined) await showIndex(files, tree, id)
}
