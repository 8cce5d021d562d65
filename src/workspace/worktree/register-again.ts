/**
 * Registers a worktree again that git pruned or whose folder was deleted, with the same three small files that
 * git itself writes.
 */

import { join } from 'node:path'
import { branchRef } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { requireNoLink } from '../git/small-file.ts'
import { hasCode } from '../workspace-directory.ts'
import { adminDir, type RegisteredWorktree, type WorktreeStatus } from './check-worktree.ts'
import type { WorktreeFiles } from './worktree-files.ts'

export async function registerAgain(
  files: WorktreeFiles,
  repository: Repository,
  { path, id, branch }: RegisteredWorktree,
  status: WorktreeStatus,
): Promise<void> {
  const admin = adminDir(repository, id)
  await requireNoLink(files, repository.commonDir, admin)
  await files.mkdir(admin, { recursive: true })
  await writeNew(files, join(admin, 'commondir'), '../..\n')
  await writeNew(files, join(admin, 'HEAD'), `ref: ${branchRef(branch)}\n`)
  await writeNew(files, join(admin, 'gitdir'), `${join(path, '.git')}\n`)
  if (status !== 'missing') return
  await files.mkdir(path, { recursive: true })
  await writeNew(files, join(path, '.git'), `gitdir: ${admin}\n`)
}

/** Never replaces an existing file. */
async function writeNew(files: WorktreeFiles, path: string, content: string): Promise<void> {
  try {
    const handle = await files.open(path, 'wx')
    try {
      await handle.writeFile(content)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}
