/** Reads and writes single text files of a workspace for the code of a loop. Never through a symlink. */

import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { readBelow, requireNoLink } from './git/small-file.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree/worktree-files.ts'

/** Undefined: there is no regular file of at most 4 MB, or a symlink is on the way. */
export const readTextFile = (
  top: string,
  path: string,
  files: WorktreeFiles = worktreeFiles,
): Promise<string | undefined> => readBelow(files, top, toInnerPath(top, path))

export interface WriteOptions {
  /** Whatever is in the way is replaced: a folder at the path, a file or a symlink among its parents. */
  readonly force?: boolean
}

/** Replaces the file completely or not at all; a symlink at its path is replaced, never followed. */
export async function writeTextFile(
  top: string,
  path: string,
  text: string,
  { force = false }: WriteOptions = {},
  files: WorktreeFiles = worktreeFiles,
): Promise<void> {
  const full = toInnerPath(top, path)
  const folder = dirname(full)
  if (force) await clearWay(files, top, full)
  else if (folder !== top) await requireNoLink(files, top, folder)
  await files.mkdir(folder, { recursive: true })
  const temporary = join(folder, `.loopwright-${randomUUID()}.tmp`)
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const handle = await files.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
  try {
    await handle.writeFile(text)
    await files.rename(temporary, full)
  } catch (error) {
    await files.rm(temporary, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** Removes what is not a folder above the path, and a folder at it. Links are removed, not followed. */
async function clearWay(files: WorktreeFiles, top: string, full: string): Promise<void> {
  let at = top
  for (const part of relative(top, full).split(sep)) {
    at = join(at, part)
    const seen = await files.lstat(at).catch(() => undefined)
    if (seen === undefined) return
    if (seen.isDirectory() !== (at === full)) continue
    await files.rm(at, { recursive: true, force: true })
    return
  }
}

function toInnerPath(top: string, path: string): string {
  const parts = path.split('/')
  const isInner = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (isInner && !parts.includes('.git') && !path.includes('\0')) return join(top, ...parts)
  const message = `${JSON.stringify(path.slice(0, 200))} is not the path of a file in the workspace.`
  throw new LoopError('bad-request', `${message} Use a path from its root, such as docs/plan.md.`)
}
