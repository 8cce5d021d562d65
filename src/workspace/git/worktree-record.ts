/**
 * What is known of a worktree that we made: one small file for each, in the repository's own folder,
 * where no agent can write.
 *
 *     (none) → creating → ready → removing → (none)
 *
 * It is written before the thing that it tells of, so that a kill leaves nothing that nobody knows.
 */

import { join } from 'node:path'
import { z } from 'zod'
import { isLoopError, LoopError } from '../../loop/index.ts'
import { fileKey } from './names.ts'
import { replaceFile } from './own-directory.ts'
import type { Repository } from './repository.ts'
import { linkBelow, readBelow, requireNoLink } from './small-file.ts'
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
  /** Paths, relative to the worktree, that were brought from the checkout. */
  readonly carried: readonly string[]
  /** Of those, the ones that are links to the checkout's own. */
  readonly linked?: readonly string[]
  /** Paths that are no part of the work, as it was last opened. */
  readonly exclude?: readonly string[]
  /** The checkout that it was made from. */
  readonly checkout?: string
  /** Who made it, so that nobody else takes it for forgotten. */
  readonly owner?: string
  /** The process that made it, so that others can see whether it is still at it. */
  readonly maker?: string
  /** Branches that its work was merged into. */
  readonly landedOn?: readonly string[]
  /** Where its files go while it is being removed. */
  readonly trash?: string
  /** The branch goes too, if it is still there. */
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

const folderOf = ({ commonDir }: Repository): string => join(commonDir, 'loopwright', 'worktrees')

const fileOf = (repository: Repository, key: string): string =>
  join(folderOf(repository), `${fileKey(key)}.json`)

export async function readRecord(
  files: WorktreeFiles,
  repository: Repository,
  key: string,
): Promise<WorktreeRecord | undefined> {
  const record = await readOne(files, repository, fileOf(repository, key))
  return record?.key === key ? record : undefined
}

/** One that was finished, by its key; undefined when there is none, or it is being removed. */
export async function findWorktree(
  repository: Repository,
  key: string,
  files: WorktreeFiles = worktreeFiles,
): Promise<(WorktreeRecord & { readonly id: string }) | undefined> {
  const found = await readRecord(files, repository, key)
  if (found?.state !== 'ready' || found.id === undefined) return undefined
  return { ...found, id: found.id }
}

/** In the order in which they were made. One that cannot be read says nothing of the others. */
export async function readRecords(
  files: WorktreeFiles,
  repository: Repository,
  onProblem?: (problem: string) => void,
): Promise<readonly WorktreeRecord[]> {
  const folder = folderOf(repository)
  const isElsewhere = (await linkBelow(files, repository.commonDir, folder)) !== undefined
  const names = isElsewhere ? [] : await files.readdir(folder).catch(() => [])
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
  await requireNoLink(files, repository.commonDir, fileOf(repository, record.key))
  await files.mkdir(folderOf(repository), { recursive: true })
  const content = Buffer.from(`${JSON.stringify(record)}\n`, 'utf8')
  await replaceFile(files, fileOf(repository, record.key), content)
  return record
}

export async function removeRecord(
  files: WorktreeFiles,
  repository: Repository,
  key: string,
): Promise<void> {
  const folder = folderOf(repository)
  await requireNoLink(files, repository.commonDir, folder)
  const name = `${fileKey(key)}.json`
  await files.rm(join(folder, name), { force: true })
  // What was being written when its writer was killed.
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
    const advice = 'Move it away; the worktree itself and its branch are not touched.'
    const message = `${path} cannot be read as the record of a worktree. ${advice}`
    throw new LoopError('store-damaged', message, { cause })
  }
}
