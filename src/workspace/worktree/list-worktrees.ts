/** Lists the worktrees that Loopwright created, with their size on disk. */

import { fromText, joinBytes } from '../bytes.ts'
import type { Repository } from '../git/repository.ts'
import { listNames, tryLstat } from '../workspace-directory.ts'
import { checkWorktree, type WorktreeStatus } from './check-worktree.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { readRecords, type WorktreeRecord } from './worktree-record.ts'

export interface ListedWorktree extends WorktreeRecord {
  readonly status: WorktreeStatus | 'not-ours'
  /** Why it is no longer ours. */
  readonly why?: string
  readonly size: FolderSize
}

export interface FolderSize {
  readonly files: number
  /** The size on disk; hard links count once. */
  readonly bytes: number
  /** There are more files than were counted. */
  readonly isPartial: boolean
}

const entriesMaxDefault = 500_000

export interface ListOptions {
  readonly files?: WorktreeFiles
  readonly entriesMax?: number
  /** Called for each record that cannot be read. */
  readonly onProblem?: (problem: string) => void
}

export async function listWorktrees(
  repository: Repository,
  options: ListOptions = {},
): Promise<readonly ListedWorktree[]> {
  const { files = worktreeFiles, entriesMax = entriesMaxDefault } = options
  const listed: ListedWorktree[] = []
  for (const record of await readRecords(files, repository, options.onProblem)) {
    const found = await readStatus(files, repository, record)
    const isOurs = found.status === 'there' || found.status === 'pruned'
    const size = isOurs ? await folderSize(files, record.path, entriesMax) : empty
    listed.push({ ...record, ...found, size })
  }
  return listed
}

type StatusResult = Pick<ListedWorktree, 'status' | 'why'>

async function readStatus(
  files: WorktreeFiles,
  repository: Repository,
  { path, id, branch }: WorktreeRecord,
): Promise<StatusResult> {
  // Its creation was interrupted.
  if (id === undefined) return { status: 'missing' }
  return checkWorktree(files, repository, { path, id, branch }).then(
    (status): StatusResult => ({ status }),
    (error: unknown): StatusResult => ({
      status: 'not-ours',
      why: error instanceof Error ? error.message : String(error),
    }),
  )
}

const empty: FolderSize = { files: 0, bytes: 0, isPartial: false }

/** Symlinks are counted, not followed. */
export async function folderSize(
  files: WorktreeFiles,
  path: string,
  entriesMax: number = entriesMaxDefault,
): Promise<FolderSize> {
  const folder = { root: fromText(path), files }
  const hardLinked = new Set<bigint>()
  const folders = ['']
  let count = 0
  let bytes = 0
  for (const at of folders) {
    for (const name of await listNames(folder, at).catch(() => [])) {
      const seen = await tryLstat(folder, joinBytes(at, name)).catch(() => undefined)
      if (seen === undefined) continue
      if (count >= entriesMax) return { files: count, bytes, isPartial: true }
      count += 1
      if (seen.isDirectory()) folders.push(joinBytes(at, name))
      else if (seen.nlink > 1n && hardLinked.has(seen.ino)) continue
      if (seen.nlink > 1n && !seen.isDirectory()) hardLinked.add(seen.ino)
      bytes += Number(seen.blocks) * 512
    }
  }
  return { files: count, bytes, isPartial: false }
}
