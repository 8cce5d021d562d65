/**
 * Reads and writes small files of a repository. An agent may have created the repository, so symlinks below its
 * folder are never followed: a file behind one counts as missing, and none is written through.
 */

import { constants } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { hasCode } from '../workspace-directory.ts'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'

/** Far larger than any of the files that are read here. */
const bytesMaxDefault = 4 * 1024 * 1024

/** Undefined if it is not a regular file (a symlink is not), or is too large. */
export async function readSmall(
  files: WorktreeFiles,
  path: string,
  bytesMax: number = bytesMaxDefault,
  encoding: 'utf8' | 'latin1' = 'utf8',
): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await files.open(path, flags).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO')) return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const seen = await handle.stat()
    if (!seen.isFile() || seen.size > bytesMax) return undefined
    return await handle.readFile(encoding)
  } finally {
    await handle.close()
  }
}

/** The first symlink below `top` among the parents of a path and the path itself. */
export async function findLinkBelow(
  files: WorktreeFiles,
  top: string,
  path: string,
): Promise<string | undefined> {
  let at = top
  for (const part of relative(top, path).split(sep)) {
    at = join(at, part)
    const seen = await files.lstat(at).catch(() => undefined)
    if (seen === undefined) return undefined
    if (seen.isSymbolicLink()) return at
  }
  return undefined
}

/** Like `readSmall`, but undefined also if a parent is a symlink. */
export async function readBelow(
  files: WorktreeFiles,
  top: string,
  path: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
): Promise<string | undefined> {
  if ((await findLinkBelow(files, top, path)) !== undefined) return undefined
  return readSmall(files, path, bytesMaxDefault, encoding)
}

/** To be called before a file is written. */
export async function requireNoLink(
  files: WorktreeFiles,
  top: string,
  path: string,
): Promise<void> {
  const link = await findLinkBelow(files, top, path)
  if (link !== undefined) throw linkError(link)
}

export const linkError = (path: string): LoopError =>
  new LoopError(
    'workspace-failed',
    `${path} is a symlink, which Loopwright does not follow. Replace it with what it points to, then try again.`,
  )
