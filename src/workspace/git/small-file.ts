/**
 * Files of a repository, read and written by us. An agent may have made the repository, so no link below its
 * folder is ever followed: one that is to be read counts as absent, and none is written through.
 */

import { constants } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { hasCode } from '../place.ts'
import type { WorktreeFiles } from './worktree-files.ts'

/** Far more than anybody writes into those that we read. */
const bytesMaxDefault = 4 * 1024 * 1024

/** Undefined for what is no file, or a large one. A link as its last part is none. */
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

/** The first link below a folder on the way to a path in it, itself included. */
export async function linkBelow(
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

/** As `readSmall`; undefined also where a link is on the way. */
export async function readBelow(
  files: WorktreeFiles,
  top: string,
  path: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
): Promise<string | undefined> {
  if ((await linkBelow(files, top, path)) !== undefined) return undefined
  return readSmall(files, path, bytesMaxDefault, encoding)
}

/** Before something is written there. */
export async function requireNoLink(
  files: WorktreeFiles,
  top: string,
  path: string,
): Promise<void> {
  const link = await linkBelow(files, top, path)
  if (link !== undefined) throw isLink(link)
}

export const isLink = (path: string): LoopError =>
  new LoopError(
    'workspace-failed',
    `${path} is a symbolic link, and what it leads to is not touched. Remove the link, then try again.`,
  )
