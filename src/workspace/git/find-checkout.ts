/** Finds out where a branch is checked out. Its files would no longer match if the branch moved. */

import { dirname, join } from 'node:path'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'
import { branchRef } from './refs.ts'
import type { Repository } from './repository.ts'
import { readBelow } from './small-file.ts'

/** The folder of a checkout that is on this branch. Undefined: there is none. */
export async function findCheckout(
  files: WorktreeFiles,
  { commonDir, home }: Repository,
  branch: string,
): Promise<string | undefined> {
  const read = async (path: string): Promise<string> =>
    ((await readBelow(files, commonDir, path).catch(() => undefined)) ?? '').trimEnd()
  const folder = join(commonDir, 'worktrees')
  const linked = await files.readdir(folder).catch(() => [])
  for (const dir of [commonDir, ...linked.map((name) => join(folder, name))]) {
    if ((await read(join(dir, 'HEAD'))) !== `ref: ${branchRef(branch)}`) continue
    if (dir !== commonDir) return dirname((await read(join(dir, 'gitdir'))) || join(dir, 'gitdir'))
    // A bare repository has a HEAD but no files.
    if (home !== commonDir) return home
  }
  return undefined
}
