/**
 * Takes a worktree away that is to go. It was decided, and written down, before: this can be killed
 * anywhere and is then done again from where it stopped.
 *
 * What is where the worktree was is moved aside as a whole, and only if it still is that worktree: so
 * what somebody puts there later is never touched.
 */

import { basename, dirname, join } from 'node:path'
import { fromText } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { remove } from '../remove.ts'
import { adminDir, checkWorktree } from './check-worktree.ts'
import type { Tools } from './open-work-tree.ts'
import { gitProvider, type WorktreeProvider } from './provider.ts'
import { branchRef, changeRef } from './refs.ts'
import type { Repository } from './repository.ts'
import { removeRecord, type WorktreeRecord } from './worktree-record.ts'

export async function finishRemoval(
  tools: Tools,
  repository: Repository,
  record: WorktreeRecord,
  provider: WorktreeProvider = gitProvider,
): Promise<void> {
  const { branch, id, trash, dropBranchAt } = record
  if (id !== undefined) await removeFolder(tools, repository, { ...record, id }, provider)
  if (trash !== undefined) await removeTrash(tools, trash)
  if (dropBranchAt !== undefined) {
    const reason = 'loopwright: the worktree was removed'
    const change = { ref: branchRef(branch), to: undefined, from: dropBranchAt, reason }
    // Somebody has it meanwhile: then it stays.
    await changeRef(tools.git, repository, change)
  }
  await removeRecord(tools.files, repository, record.key)
}

async function removeFolder(
  { git, files }: Tools,
  repository: Repository,
  { branch, path, id, trash }: WorktreeRecord & { readonly id: string },
  provider: WorktreeProvider,
): Promise<void> {
  const request = { repository, branch, path }
  const status = await checkWorktree(files, repository, { path, id, branch })
  if (provider.name !== 'git' && status === 'there') await provider.remove(git, request)
  const left = await checkWorktree(files, repository, { path, id, branch })
  if (left !== 'missing' && trash !== undefined) await files.rename(path, trash)
  const admin = await files.lstat(adminDir(repository, id)).catch(() => undefined)
  if (admin !== undefined) await gitProvider.remove(git, request)
}

async function removeTrash({ files }: Tools, trash: string): Promise<void> {
  const folder = {
    root: fromText(dirname(trash)),
    files,
    exclusions: createExclusions([]),
  }
  await remove(folder, fromText(basename(trash)))
}

export const trashFor = (path: string, unique: string): string =>
  join(dirname(path), `.${basename(path)}.removed-${unique}`)
