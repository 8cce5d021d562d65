/** Opens files for reading: regular workspace files, and stored output. */

import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { asToolError } from './file-errors.ts'
import { type Folder, pathIn } from './folder.ts'
import { isOutputPath, shown } from './path-text.ts'
import { requireShown } from './protection.ts'
import { ToolError, type ToolRunContext } from './tool.ts'
import { notFound, withLocation } from './workspace-path.ts'

export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
  /** Relative to the workspace, without links. Undefined for stored output. */
  readonly path: string | undefined
}

/** Rejects with `not-found`, `not-a-file` and the errors of the walk to it. */
export async function withFile<T>(
  context: ToolRunContext,
  path: string,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  if (isOutputPath(path)) return withOutput(context, path, use)
  return withLocation(context, path, {}, async ({ folder, name, path: real, found }) => {
    if (found === undefined) throw notFound(path)
    // Not even opened: opening a device may have effects.
    if (name === undefined || !found.isFile()) throw notAFile(path, found)
    return withFileIn(folder, name, path, (handle, stats) => use({ handle, stats, path: real }))
  })
}

/**
 * Opens a file in an open folder. Never follows a link, never waits for a pipe, and refuses hidden
 * files.
 */
export async function withFileIn<T>(
  folder: Folder,
  name: string,
  path: string,
  use: (handle: FileHandle, stats: BigIntStats) => Promise<T>,
): Promise<T> {
  const handle = await open(folder.at(name), flags)
  try {
    await folder.verify()
    const stats = await handle.stat({ bigint: true })
    requireShown(folder.protection, pathIn(folder, name), stats)
    if (!stats.isFile()) throw notAFile(path, stats)
    return await use(handle, stats)
  } finally {
    await handle.close()
  }
}

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function withOutput<T>(
  { output }: ToolRunContext,
  path: string,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const handle = await output?.open(path)
  if (handle === undefined) {
    const message = `There is no stored output ${shown(path)}. Use a name that a tool gave you.`
    throw new ToolError('not-found', message)
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) throw notAFile(path, stats)
    return await use({ handle, stats, path: undefined })
  } catch (error) {
    throw asToolError(error, path)
  } finally {
    await handle.close()
  }
}

export function notAFile(path: string, stats: BigIntStats): ToolError {
  const what = stats.isDirectory()
    ? 'is a folder. Use list to see what is in it.'
    : `is ${describeKind(stats)}, not a regular file. Files like that are not opened.`
  return new ToolError('not-a-file', `${shown(path)} ${what}`)
}

function describeKind(stats: BigIntStats): string {
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return stats.isBlockDevice() || stats.isCharacterDevice() ? 'a device' : 'something special'
}
