/**
 * The check of a repository without Loopwright, as in a clean checkout: nothing that earlier runs compiled is used. A
 * certification compiles everything anew as well, since a cache hides which files are read.
 */

import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clone, type Ended, run } from './clone-repository.ts'

/** Where compilers and test runners keep what they compiled, besides the folders of the project. */
const outsideCaches = {
  GOCACHE: 'go-cache',
  CARGO_TARGET_DIR: 'cargo-target',
  // Of jest and vite, for instance.
  TMPDIR: 'bare-tmp',
  XDG_CACHE_HOME: 'bare-cache',
} as const

export async function runBare(
  check: string,
  { folder, path }: Pick<Clone, 'folder' | 'path'>,
  work: string,
): Promise<Ended> {
  const caches = Object.fromEntries(
    Object.entries(outsideCaches).map(([name, inner]) => [name, join(work, inner)]),
  )
  for (const cache of Object.values(caches)) {
    await rm(cache, { recursive: true, force: true })
    await mkdir(cache, { recursive: true })
  }
  await removeCaches(folder)
  return run(['sh', '-c', check], folder, { PATH: path, CI: '1', ...caches })
}

/** Those of packages in `node_modules`, and bytecode of the project; installed packages of Python keep theirs. */
async function removeCaches(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === '.git' || entry.name === '.venv') continue
    const path = join(folder, entry.name)
    if (entry.name === 'node_modules') await removeFolder(join(path, '.cache'))
    else if (entry.name === '__pycache__') await removeFolder(path)
    else await removeCaches(path)
  }
}

const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true })
