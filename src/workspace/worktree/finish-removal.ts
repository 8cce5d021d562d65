/**
 * Removes a worktree. The decision is recorded before, so if this is killed anywhere, the next call continues
 * where it stopped.
 *
 * The folder is renamed as a whole, and only if it still is that worktree, so that a folder which the user
 * creates at the same path later is never touched.
 */

import { rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { fromText } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { branchRef, changeRef } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { remove } from '../remove.ts'
import { adminDir, checkWorktree } from './check-worktree.ts'
import type { Tools } from './open-work-tree.ts'
import { gitProvider, type WorktreeProvider } from './provider.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { removeRecord, type WorktreeRecord } from './worktree-record.ts'

export async function finishRemoval(
  tools: Tools,
  repository: Repository,
  record: WorktreeRecord,
  provider: WorktreeProvider = gitProvider,
): Promise<void> {
  const { branch, id, trash, dropBranchAt } = record
  requireTrash(record)
  if (id !== undefined) await removeFolder(tools, repository, { ...record, id }, provider)
  if (trash !== undefined) await removeTrash(tools, trash)
  if (dropBranchAt !== undefined) {
    const change = { ref: branchRef(branch), to: undefined, from: dropBranchAt }
    // The branch stays if it has moved meanwhile.
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
  const admin = adminDir(repository, id)
  if ((await files.lstat(admin).catch(() => undefined)) === undefined) return
  try {
    await gitProvider.remove(git, request)
  } catch (error) {
    if ((await files.lstat(path).catch(() => undefined)) !== undefined) throw error
    // A process that looked at the worktree meanwhile left a file where git had looked already. The folder is gone: so is its entry.
    await rm(admin, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

async function removeTrash({ files }: Tools, trash: string): Promise<void> {
  const folder = {
    root: fromText(dirname(trash)),
    files,
    exclusions: createExclusions([]),
  }
  await remove(folder, fromText(basename(trash)))
}

/** Its record is in the repository, where an attacker may have replaced it. */
export async function explainForeignRecord(
  repository: Repository,
  record: WorktreeRecord,
  isOurs: boolean,
  files: WorktreeFiles = worktreeFiles,
): Promise<string | undefined> {
  const { path, id, branch } = record
  if (!isOwnTrash(record)) return badTrash(record)
  if (isOurs || id === undefined) return undefined
  const status = await checkWorktree(files, repository, { path, id, branch }).catch(() => 'other')
  // A path that is something else by now is checked, and kept, when it would be removed.
  return status === 'pruned' ? 'git has pruned it, and no known run has it' : undefined
}

function requireTrash(record: WorktreeRecord): void {
  if (isOwnTrash(record)) return
  const message = `The worktree ${record.path} is not removed: ${badTrash(record)}.`
  throw new LoopError('workspace-failed', `${message} Remove it by hand.`)
}

const badTrash = ({ trash }: WorktreeRecord): string =>
  `its record has the trash folder ${trash}, which Loopwright does not use`

/** Beside the worktree, with a name from `trashFor`. */
function isOwnTrash({ path, trash }: WorktreeRecord): boolean {
  if (trash === undefined) return true
  const unique = /\.removed-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/.exec(
    trash,
  )
  return isAbsolute(path) && unique?.[1] !== undefined && trash === trashFor(path, unique[1])
}

export const trashFor = (path: string, unique: string): string =>
  join(dirname(path), `.${basename(path)}.removed-${unique}`)
