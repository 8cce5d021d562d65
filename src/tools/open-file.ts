/** Opens files for reading: regular ones of the workspace, and kept output. */

import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { asToolError } from './file-errors.ts'
import { type Folder, pathIn } from './folder.ts'
import { isOutputPath, shown } from './path-text.ts'
import { requireShown } from './protection.ts'
import { ToolError, type ToolRunContext } from './tool.ts'
import { notFound, withPlace } from './workspace-path.ts'

export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
  /** From the workspace, without links. Undefined for kept output. */
  readonly path: string | undefined
}

/** Rejects with `not-found`, `not-a-file` and what a walk to it rejects with. */
export async function withFile<T>(
  context: ToolRunContext,
  path: string,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  if (isOutputPath(path)) return withOutput(context, path, use)
  return withPlace(context, path, {}, async ({ folder, name, path: real, found }) => {
    if (found === undefined) throw notFound(path)
    // Not even opened: to open a device may do something.
    if (name === undefined || !found.isFile()) throw notAFile(path, found)
    return withFileIn(folder, name, path, (handle, stats) => use({ handle, stats, path: real }))
  })
}

/**
 * A file of a folder that is held open. Never through a link, never waiting for a pipe, and none that is
 * hidden.
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
    const message = `There is no kept output ${shown(path)}. Use a name that a tool gave you.`
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
    : `is ${kindOf(stats)}, not a regular file. Files like that are not opened.`
  return new ToolError('not-a-file', `${shown(path)} ${what}`)
}

function kindOf(stats: BigIntStats): string {
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return stats.isBlockDevice() || stats.isCharacterDevice() ? 'a device' : 'something special'
}
