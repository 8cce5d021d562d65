/** Prepares a worktree for snapshots and restores, and updates the index that git commands in it use. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fromText } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { ignorePattern } from '../git/ignore-pattern.ts'
import { createPrivateGitDir } from '../git/private-git-dir.ts'
import type { Repository } from '../git/repository.ts'
import type { RunGit } from '../git/run-git.ts'
import { createStatCache } from '../stat-cache.ts'
import { adminDir } from './check-worktree.ts'
import { removeScratchIndexes, type WorkTree } from './work-tree.ts'
import { linkOrCopy, type WorktreeFiles } from './worktree-files.ts'
import type { WorktreeRecord } from './worktree-record.ts'

export interface Tools {
  readonly git: RunGit
  readonly files: WorktreeFiles
  readonly now: () => number
}

/** A registered worktree. */
export type KnownWorktree = WorktreeRecord & { readonly id: string }

export async function openWorkTree(
  { git, files, now }: Tools,
  repository: Repository,
  { id, path, carried, base }: Pick<KnownWorktree, 'id' | 'path' | 'carried' | 'base'>,
  exclude: readonly string[] = [],
): Promise<WorkTree> {
  const own = await createPrivateGitDir(files, {
    repository,
    // git removes it together with the worktree's entry.
    path: join(adminDir(repository, id), 'loopwright'),
    exact: true,
    excludes: [...carried, ...exclude].map((one) => fromText(ignorePattern(one))),
  })
  await removeScratchIndexes(files, own.path)
  await removeScratchIndexes(files, adminDir(repository, id))
  return {
    base: base.commit,
    root: fromText(path),
    path,
    files,
    git,
    repository,
    own,
    // Independent of the ignore rules: a secret that was carried over is never committed.
    exclusions: createExclusions([...carried, ...exclude]),
    cache: createStatCache(now),
    now,
    memory: {},
  }
}

/**
 * Updates the index that users and agents see in the worktree to the branch: otherwise every change of the last
 * iteration would look like a revert.
 */
export async function publishIndex(
  files: WorktreeFiles,
  tree: WorkTree,
  id: string,
): Promise<void> {
  const admin = adminDir(tree.repository, id)
  const temporary = join(admin, `index.${randomUUID()}`)
  try {
    // git replaces an index and never overwrites it, so a hard link is safe.
    await linkOrCopy(files, tree.own.indexFile, temporary)
    await files.rename(temporary, join(admin, 'index'))
  } finally {
    // Renaming one hard link over another does nothing.
    await files.unlink(temporary).catch(() => {})
  }
}

/** A worktree that was registered again has no index. */
export async function publishIndexIfMissing(
  files: WorktreeFiles,
  tree: WorkTree,
  id: string,
): Promise<void> {
  const index = join(adminDir(tree.repository, id), 'index')
  const seen = await files.lstat(index).catch(() => undefined)
  if (seen === undefined) await publishIndex(files, tree, id)
}
