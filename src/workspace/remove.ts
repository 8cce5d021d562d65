/** Removes paths from a workspace. Follows no symlink and opens no file. */

import type { BigIntStats } from 'node:fs'
import { LoopError } from '../loop/index.ts'
import { type Bytes, joinBytes, toDisplay } from './bytes.ts'
import { inParallel } from './in-parallel.ts'
import {
  absolutePath,
  concurrency,
  listNames,
  tryLstat,
  type WritableFolder,
} from './workspace-directory.ts'

/** False if an excluded path is below it, which stays with its parent folders. */
export async function remove(workspace: WritableFolder, path: Bytes): Promise<boolean> {
  if (workspace.exclusions.protects(path)) return false
  const seen = await tryLstat(workspace, path)
  if (seen === undefined) return true
  if (!seen.isDirectory()) {
    await workspace.files.unlink(absolutePath(workspace, path))
    return true
  }
  await makeAccessible(workspace, path, seen)
  let isEmpty = true
  await inParallel(await listNames(workspace, path), concurrency, async (name) => {
    if (!(await remove(workspace, joinBytes(path, name)))) isEmpty = false
  })
  if (isEmpty) await workspace.files.rmdir(absolutePath(workspace, path))
  return isEmpty
}

/** Removes a directory, so that another entry can get its name. Anything else is replaced by a rename. */
export async function clearDirectory(
  workspace: WritableFolder,
  path: Bytes,
  seen: BigIntStats | undefined,
): Promise<void> {
  if (seen?.isDirectory() !== true || (await remove(workspace, path))) return
  const advice = 'Move the excluded paths in it elsewhere, then resume.'
  const directory = `${toDisplay(path)} in ${toDisplay(workspace.root)}`
  const message = `Cannot restore ${directory}: a directory with excluded paths has this name.`
  throw new LoopError('workspace-failed', `${message} ${advice}`)
}

/** An agent may have left a directory that even its owner cannot change. */
export async function makeAccessible(
  workspace: WritableFolder,
  path: Bytes,
  seen: BigIntStats,
): Promise<void> {
  const mode = Number(seen.mode) & 0o7777
  if ((mode & 0o700) !== 0o700)
    await workspace.files.chmod(absolutePath(workspace, path), mode | 0o700)
}
