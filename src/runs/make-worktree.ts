/**
 * Makes the worktree of a run that is not on record yet. Who makes it, and in which repository, is written
 * down before: if that process is killed, others find what it left and see that it is dead.
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

/** `record` is the folder of the record that is to have the run. */
export async function makeWorktree(
  record: string,
  options: Omit<CreateWorktreeOptions, 'owner' | 'maker'>,
): Promise<CreatedWorktree> {
  await remember(record, options.repository.commonDir)
  return createWorktree({ ...options, owner: record, maker: createOwnerId() })
}

/** In which worktrees were ever made for this record: one small file for each. */
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
