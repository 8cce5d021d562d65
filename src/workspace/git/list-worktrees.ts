/** The worktrees that we made, with what they take on disk. */

import { fromText, inside } from '../bytes.ts'
import { look, namesIn } from '../place.ts'
import { checkWorktree, type WorktreeStatus } from './check-worktree.ts'
import type { Repository } from './repository.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { readRecords, type WorktreeRecord } from './worktree-record.ts'

export interface ListedWorktree extends WorktreeRecord {
  readonly status: WorktreeStatus | 'not-ours'
  /** Why it is not ours any more. */
  readonly why?: string
  readonly size: FolderSize
}

export interface FolderSize {
  readonly files: number
  /** What they take on disk; one that has several names counts once. */
  readonly bytes: number
  /** There are so many that the rest was not counted. */
  readonly isPartial: boolean
}

const entriesMaxDefault = 500_000

export interface ListOptions {
  readonly files?: WorktreeFiles
  readonly entriesMax?: number
  /** Told of each that cannot be read. */
  readonly onProblem?: (problem: string) => void
}

export async function listWorktrees(
  repository: Repository,
  options: ListOptions = {},
): Promise<readonly ListedWorktree[]> {
  const { files = worktreeFiles, entriesMax = entriesMaxDefault } = options
  const listed: ListedWorktree[] = []
  for (const record of await readRecords(files, repository, options.onProblem)) {
    const found = await statusOf(files, repository, record)
    const isOurs = found.status === 'there' || found.status === 'pruned'
    const size = isOurs ? await folderSize(files, record.path, entriesMax) : empty
    listed.push({ ...record, ...found, size })
  }
  return listed
}

type Found = Pick<ListedWorktree, 'status' | 'why'>

async function statusOf(
  files: WorktreeFiles,
  repository: Repository,
  { path, id, branch }: WorktreeRecord,
): Promise<Found> {
  // Nobody has finished making it.
  if (id === undefined) return { status: 'missing' }
  return checkWorktree(files, repository, { path, id, branch }).then(
    (status): Found => ({ status }),
    (error: unknown): Found => ({
      status: 'not-ours',
      why: error instanceof Error ? error.message : String(error),
    }),
  )
}

const empty: FolderSize = { files: 0, bytes: 0, isPartial: false }

/** Links are counted and not followed. */
export async function folderSize(
  files: WorktreeFiles,
  path: string,
  entriesMax: number = entriesMaxDefault,
): Promise<FolderSize> {
  const folder = { root: fromText(path), files }
  const seenTwice = new Set<bigint>()
  const folders = ['']
  let count = 0
  let bytes = 0
  for (const at of folders) {
    for (const name of await namesIn(folder, at).catch(() => [])) {
      const seen = await look(folder, inside(at, name)).catch(() => undefined)
      if (seen === undefined) continue
      if (count >= entriesMax) return { files: count, bytes, isPartial: true }
      count += 1
      if (seen.isDirectory()) folders.push(inside(at, name))
      else if (seen.nlink > 1n && seenTwice.has(seen.ino)) continue
      if (seen.nlink > 1n && !seen.isDirectory()) seenTwice.add(seen.ino)
      bytes += Number(seen.blocks) * 512
    }
  }
  return { files: count, bytes, isPartial: false }
}
