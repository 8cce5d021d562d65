/** Worktrees that nobody finished making. */

import { basename, join } from 'node:path'
import { adminDir } from './check-worktree.ts'
import type { Tools } from './open-work-tree.ts'
import type { Repository } from './repository.ts'
import { linkBelow, readBelow, readSmall } from './small-file.ts'

/** What the folder itself says. It is checked against what the repository says. */
export async function idAt(
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
 * A folder with nothing but git's pointer in it, and what points to that, is what a kill leaves. The folder
 * is only touched if its own pointer leads here, or if `isOurs`: then it may also be empty.
 */
export async function removeHalf(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
  path: string,
  isOurs = false,
): Promise<void> {
  const names = await files.readdir(path).catch(() => undefined)
  if (names?.some((name) => name !== '.git') === true) return
  const leadsHere = (await idAt({ files }, repository, path)) !== undefined
  const isEmpty = names?.length === 0
  await forget({ files }, repository, path)
  if (!leadsHere && !(isOurs && isEmpty)) return
  await files.rm(join(path, '.git'), { force: true })
  await files.rmdir(path)
}

/** What the repository itself has of it. */
async function forget(
  { files }: Pick<Tools, 'files'>,
  { commonDir }: Repository,
  path: string,
): Promise<void> {
  const folder = join(commonDir, 'worktrees')
  if ((await linkBelow(files, commonDir, folder)) !== undefined) return
  for (const id of await files.readdir(folder).catch(() => [])) {
    const points = await readBelow(files, commonDir, join(folder, id, 'gitdir'))
    if (points?.trimEnd() === join(path, '.git'))
      await files.rm(join(folder, id), { recursive: true })
  }
}

/** Somebody's reason to lock a worktree; undefined when it is not locked. */
export async function lockOf(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
  id: string,
): Promise<string | undefined> {
  const locked = join(adminDir(repository, id), 'locked')
  const seen = await files.lstat(locked).catch(() => undefined)
  if (seen === undefined) return undefined
  return (await readBelow(files, repository.commonDir, locked).catch(() => undefined)) ?? ''
}

/** git locks a worktree while it makes it, in these words. One that was killed then leaves the lock. */
export async function unlockHalf(
  tools: Pick<Tools, 'files'>,
  repository: Repository,
  id: string,
): Promise<void> {
  const reason = await lockOf(tools, repository, id)
  if (reason?.trim() !== 'initializing') return
  await tools.files.rm(join(adminDir(repository, id), 'locked'), { force: true })
}
