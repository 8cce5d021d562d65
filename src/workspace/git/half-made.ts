/** Worktrees that nobody finished making. */

import { basename, join } from 'node:path'
import { adminDir } from './check-worktree.ts'
import type { Tools } from './open-work-tree.ts'
import type { Repository } from './repository.ts'

/** What the folder itself says. It is checked against what the repository says. */
export async function idAt(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
  path: string,
): Promise<string | undefined> {
  const pointer = await files.readFile(join(path, '.git'), 'utf8').catch(() => '')
  const admin = /^gitdir: (.+)\n?$/.exec(pointer)?.[1]
  if (admin === undefined) return undefined
  const id = basename(admin)
  return adminDir(repository, id) === admin ? id : undefined
}

/** A folder with nothing but git's pointer in it, and what points to that, is what a kill leaves. */
export async function removeHalf(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
  path: string,
): Promise<void> {
  const names = await files.readdir(path).catch(() => undefined)
  if (names?.some((name) => name !== '.git') === true) return
  const folder = join(repository.commonDir, 'worktrees')
  for (const id of await files.readdir(folder).catch(() => [])) {
    const points = await files.readFile(join(folder, id, 'gitdir'), 'utf8').catch(() => '')
    if (points.trimEnd() === join(path, '.git'))
      await files.rm(join(folder, id), { recursive: true })
  }
  if (names === undefined) return
  await files.rm(join(path, '.git'), { force: true })
  await files.rmdir(path)
}

/** git locks a worktree while it makes it, in these words. One that was killed then leaves the lock. */
export async function unlockHalf(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
  id: string,
): Promise<void> {
  const locked = join(adminDir(repository, id), 'locked')
  const reason = await files.readFile(locked, 'utf8').catch(() => '')
  if (reason.trim() === 'initializing') await files.rm(locked, { force: true })
}
