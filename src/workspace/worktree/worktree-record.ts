/**
 * The record of a worktree that Loopwright created: one small file in the repository's git directory, where no
 * agent can write.
 *
 *     (none) → creating → ready → removing → (none)
 *
 * It is written before each change that it describes, so that a kill leaves nothing without a record.
 */

import { join } from 'node:path'
import { z } from 'zod'
import { isLoopError, LoopError } from '../../loop/index.ts'
import { toFileKey } from '../git/names.ts'
import { replaceFile } from '../git/private-git-dir.ts'
import type { Repository } from '../git/repository.ts'
import { findLinkBelow, readBelow, requireNoLink } from '../git/small-file.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'

export interface WorktreeRecord {
  readonly version: 1
  readonly key: string
  readonly state: 'creating' | 'ready' | 'removing'
  readonly provider: 'git' | 'worktrunk'
  readonly branch: string
  readonly base: { readonly name: string; readonly commit: string }
  readonly path: string
  /** The name of its folder in the repository's `worktrees`. */
  readonly id?: string
  /** Paths, relative to the worktree, that were carried over from the checkout. */
  readonly carried: readonly string[]
  /** Those of `carried` that are symlinks into the checkout. */
  readonly linked?: readonly string[]
  /** Paths that were excluded from the work when it was last opened. */
  readonly exclude?: readonly string[]
  /** The checkout from which it was created. */
  readonly checkout?: string
  /** The installation that created it, so that no other considers it abandoned. */
  readonly owner?: string
  /** The process that created it, so that others can check whether it still runs. */
  readonly maker?: string
  /** Branches that its work was merged into. */
  readonly landedOn?: readonly string[]
  /** The folder that its files are moved to while it is being removed. */
  readonly trash?: string
  /** The branch is deleted too, if it still points to this commit. */
  readonly dropBranchAt?: string
  readonly createdAtMs: number
}

const text = z.string().min(1).max(4096)
const commit = z.string().regex(/^[0-9a-f]{40,64}$/)

const recordSchema: z.ZodType<WorktreeRecord> = z.strictObject({
  version: z.literal(1),
  key: text,
  state: z.enum(['creating', 'ready', 'removing']),
  provider: z.enum(['git', 'worktrunk']),
  branch: text,
  base: z.strictObject({ name: text, commit }),
  path: text,
  id: z
    .string()
    .regex(/^(?!\.{1,2}$)[^/\0]+$/)
    .exactOptional(),
  landedOn: z.array(text).max(100).exactOptional(),
  carried: z.array(text).max(10_000),
  linked: z.array(text).max(10_000).exactOptional(),
  exclude: z.array(text).max(10_000).exactOptional(),
  checkout: text.exactOptional(),
  owner: text.exactOptional(),
  maker: text.exactOptional(),
  trash: text.exactOptional(),
  dropBranchAt: commit.exactOptional(),
  createdAtMs: z.number(),
})

const recordsFolder = ({ commonDir }: Repository): string =>
  join(commonDir, 'loopwright', 'worktrees')

const recordFile = (repository: Repository, key: string): string =>
  join(recordsFolder(repository), `${toFileKey(key)}.json`)

export async function readRecord(
  files: WorktreeFiles,
  repository: Repository,
  key: string,
): Promise<WorktreeRecord | undefined> {
  const record = await readOne(files, repository, recordFile(repository, key))
  return record?.key === key ? record : undefined
}

/** A complete worktree by its key; undefined if there is none, or it is being removed. */
export async function findWorktree(
  repository: Repository,
  key: string,
  files: WorktreeFiles = worktreeFiles,
): Promise<(WorktreeRecord & { readonly id: string }) | undefined> {
  const found = await readRecord(files, repository, key)
  if (found?.state !== 'ready' || found.id === undefined) return undefined
  return { ...found, id: found.id }
}

/** In the order of creation. Skips records that cannot be read. */
export async function readRecords(
  files: WorktreeFiles,
  repository: Repository,
  onProblem?: (problem: string) => void,
): Promise<readonly WorktreeRecord[]> {
  const folder = recordsFolder(repository)
  const isLinked = (await findLinkBelow(files, repository.commonDir, folder)) !== undefined
  const names = isLinked ? [] : await files.readdir(folder).catch(() => [])
  const records: WorktreeRecord[] = []
  for (const name of names.filter((one) => one.endsWith('.json'))) {
    const record = await readOne(files, repository, join(folder, name)).catch((error: unknown) => {
      if (!isLoopError(error, 'store-damaged')) throw error
      onProblem?.(error.message)
    })
    if (record !== undefined) records.push(record)
  }
  return records.toSorted((a, b) => a.createdAtMs - b.createdAtMs)
}

export async function writeRecord(
  files: WorktreeFiles,
  repository: Repository,
  record: WorktreeRecord,
): Promise<WorktreeRecord> {
  await requireNoLink(files, repository.commonDir, recordFile(repository, record.key))
  await files.mkdir(recordsFolder(repository), { recursive: true })
  const content = Buffer.from(`${JSON.stringify(record)}\n`, 'utf8')
  await replaceFile(files, recordFile(repository, record.key), content)
  return record
}

export async function removeRecord(
  files: WorktreeFiles,
  repository: Repository,
  key: string,
): Promise<void> {
  const folder = recordsFolder(repository)
  await requireNoLink(files, repository.commonDir, folder)
  const name = `${toFileKey(key)}.json`
  await files.rm(join(folder, name), { force: true })
  // Temporary files of a killed process.
  for (const one of await files.readdir(folder).catch(() => [])) {
    if (one.startsWith(`${name}.`)) await files.rm(join(folder, one), { force: true })
  }
}

async function readOne(
  files: WorktreeFiles,
  { commonDir }: Repository,
  path: string,
): Promise<WorktreeRecord | undefined> {
  const content = await readBelow(files, commonDir, path).catch(() => undefined)
  if (content === undefined) return undefined
  try {
    return recordSchema.parse(JSON.parse(content))
  } catch (cause) {
    const advice = 'Move the file elsewhere; the worktree and its branch are not affected.'
    const message = `${path} is not a valid record of a worktree. ${advice}`
    throw new LoopError('store-damaged', message, { cause })
  }
}
