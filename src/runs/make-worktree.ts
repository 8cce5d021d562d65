/**
 * Creates the worktree of a run that is not in the journal yet. The process and the repository are written to disk
 * first, so that another process can find and remove the worktree if this one is killed.
 */

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOwnerId } from '../system/index.ts'
import {
  type CreatedWorktree,
  type CreateWorktreeOptions,
  createWorktree,
} from '../workspace/index.ts'

/** `record` is the state folder that the run will be in. */
export async function makeWorktree(
  record: string,
  options: Omit<CreateWorktreeOptions, 'owner' | 'maker'>,
): Promise<CreatedWorktree> {
  await remember(record, options.repository.commonDir)
  return createWorktree({ ...options, owner: record, maker: createOwnerId() })
}

/** Repositories in which worktrees were created for this state folder: one small file each. */
export async function knownRepositories(record: string): Promise<readonly string[]> {
  const folder = repositoriesFolder(record)
  const names = await readdir(folder).catch((): readonly string[] => [])
  const paths = names
    .filter((name) => /^[0-9a-f]{32}$/.test(name))
    .map((name) => readFile(join(folder, name), 'utf8').catch(() => ''))
  return (await Promise.all(paths)).filter((path) => path !== '')
}

async function remember(record: string, repository: string): Promise<void> {
  if ((await knownRepositories(record)).includes(repository)) return
  const folder = repositoriesFolder(record)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, createHash('sha256').update(repository).digest('hex').slice(0, 32))
  const written = `${path}.${randomUUID()}`
  await writeFile(written, repository, { mode: 0o600 })
  await rename(written, path)
}

const repositoriesFolder = (record: string): string => join(record, 'repositories')
