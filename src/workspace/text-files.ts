/** Reads and writes single text files of a workspace for the code of a loop. Never through a symlink. */

import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { readBelow, requireNoLink } from './git/small-file.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree/worktree-files.ts'

/** Undefined: there is no regular file of at most 4 MB, or a symlink is on the way. */
export const readTextFile = (
  top: string,
  path: string,
  files: WorktreeFiles = worktreeFiles,
): Promise<string | undefined> => readBelow(files, top, toInnerPath(top, path))

/** Replaces the file completely or not at all; a symlink at its path is replaced, never followed. */
export async function writeTextFile(
  top: string,
  path: string,
  text: string,
  files: WorktreeFiles = worktreeFiles,
): Promise<void> {
  const full = toInnerPath(top, path)
  const folder = dirname(full)
  if (folder !== top) await requireNoLink(files, top, folder)
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

function toInnerPath(top: string, path: string): string {
  const parts = path.split('/')
  const isInner = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (isInner && !parts.includes('.git') && !path.includes('\0')) return join(top, ...parts)
  const message = `${JSON.stringify(path.slice(0, 200))} is not the path of a file in the workspace.`
  throw new LoopError('bad-request', `${message} Use a path from its root, such as docs/plan.md.`)
}
