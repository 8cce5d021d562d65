/** Worktrees whose creation was interrupted. */

import { basename, join } from 'node:path'
import type { Repository } from '../git/repository.ts'
import { findLinkBelow, readBelow, readSmall } from '../git/small-file.ts'
import { adminDir } from './check-worktree.ts'
import type { Tools } from './open-work-tree.ts'

/** The id in the folder's `.git` file, verified against the repository. */
export async function readWorktreeId(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
  path: string,
): Promise<string | undefined> {
  const pointer = (await readSmall(files, join(path, '.git')).catch(() => undefined)) ?? ''
  const admin = /^gitdir: (.+)\n?$/.exec(pointer)?.[1]
  if (admin === undefined) return undefined
  const id = basename(admin)
  return adminDir(repository, id) === admin ? id : undefined
}

/**
 * A kill leaves a folder with only a `.git` file in it, and an entry in the repository. The folder is removed
 * only if its `.git` file points to this repository or, with `isOurs`, if it is empty.
 */
export async function removePartialWorktree(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
  path: string,
  isOurs = false,
): Promise<void> {
  const names = await files.readdir(path).catch(() => undefined)
  if (names?.some((name) => name !== '.git') === true) return
  const leadsHere = (await readWorktreeId({ files }, repository, path)) !== undefined
  const isEmpty = names?.length === 0
  await removeEntry({ files }, repository, path)
  if (!leadsHere && !(isOurs && isEmpty)) return
  await files.rm(join(path, '.git'), { force: true })
  await files.rmdir(path)
}

/** Removes the entry in the repository. */
async function removeEntry(
  { files }: Pick<Tools, 'files'>,
  { commonDir }: Repository,
  path: string,
): Promise<void> {
  const folder = join(commonDir, 'worktrees')
  if ((await findLinkBelow(files, commonDir, folder)) !== undefined) return
  for (const id of await files.readdir(folder).catch(() => [])) {
    const points = await readBelow(files, commonDir, join(folder, id, 'gitdir'))
    if (points?.trimEnd() === join(path, '.git'))
      await files.rm(join(folder, id), { recursive: true })
  }
}

/** The reason for which a worktree is locked; undefined if it is not locked. */
export async function readLockReason(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
  id: string,
): Promise<string | undefined> {
  const locked = join(adminDir(repository, id), 'locked')
  const seen = await files.lstat(locked).catch(() => undefined)
  if (seen === undefined) return undefined
  return (await readBelow(files, repository.commonDir, locked).catch(() => undefined)) ?? ''
}

/** git locks a worktree with this reason while it creates it; a kill leaves the lock behind. */
export async function unlockPartialWorktree(
  tools: Pick<Tools, 'files'>,
  repository: Repository,
  id: string,
): Promise<void> {
  const reason = await readLockReason(tools, repository, id)
  if (reason?.trim() !== 'initializing') return
  await tools.files.rm(join(adminDir(repository, id), 'locked'), { force: true })
}
