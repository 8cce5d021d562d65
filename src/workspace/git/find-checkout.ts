/**
 * Finds out where a branch is checked out, also under another name, or used by a rebase or a bisection. Its files would no
 * longer match if the branch moved.
 */

import { dirname, join } from 'node:path'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'
import { branchRef } from './refs.ts'
import type { Repository } from './repository.ts'
import { readBelow } from './small-file.ts'

const namingFiles = ['HEAD', 'rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START']
const symbolicMax = 5

/** The folder of a checkout that is on this branch. Undefined: there is none. */
export async function findCheckout(
  files: WorktreeFiles,
  { commonDir, home }: Repository,
  branch: string,
): Promise<string | undefined> {
  const read = async (path: string): Promise<string> =>
    ((await readBelow(files, commonDir, path).catch(() => undefined)) ?? '').trimEnd()
  /** The ref that a file of this kind names, through symbolic refs. */
  async function readRef(path: string): Promise<string> {
    let text = await read(path)
    // The oldest form of a symbolic ref.
    if (text === '') text = `ref: ${await files.readlink(path).catch(() => '')}`
    let name = text
    for (let count = 0; count < symbolicMax && text.startsWith('ref:'); count += 1) {
      name = text.slice('ref:'.length).trim()
      text = await read(join(commonDir, name))
    }
    return name
  }
  const wanted = branchRef(branch)
  const folder = join(commonDir, 'worktrees')
  const linked = await files.readdir(folder).catch(() => [])
  for (const dir of [commonDir, ...linked.map((name) => join(folder, name))]) {
    const named = await Promise.all(namingFiles.map((name) => readRef(join(dir, name))))
    if (!named.some((name) => name === wanted || name === branch)) continue
    if (dir !== commonDir) return dirname((await read(join(dir, 'gitdir'))) || join(dir, 'gitdir'))
    // A bare repository has a HEAD but no files.
    if (home !== commonDir) return home
  }
  return undefined
}
