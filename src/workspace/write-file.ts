/** Writes a file of a tree from its blob, to a path that does not exist yet. */

import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { LoopError } from '../loop/index.ts'
import type { Bytes } from './bytes.ts'
import { wholeBytesMax } from './read-file.ts'
import type { FileEntry } from './tree-object.ts'
import { absolutePath, type WorkspaceDirectory } from './workspace-directory.ts'

/** `replaced` is the file whose mode is kept; a tree stores only whether a file is executable. */
export async function writeFile(
  workspace: WorkspaceDirectory,
  path: Bytes,
  entry: FileEntry,
  replaced: BigIntStats | undefined,
): Promise<void> {
  const handle = await workspace.files.open(
    absolutePath(workspace, path),
    'wx',
    entry.executable ? 0o777 : 0o666,
  )
  try {
    if (replaced !== undefined) await handle.chmod(toMode(replaced, entry.executable))
    const written = await writeContent(workspace, handle, entry)
    if (written === entry.bytes) return
    const mismatch = `${entry.blob} has ${written} bytes instead of ${entry.bytes}`
    const message = `A tree does not match its content: ${mismatch}.`
    throw new LoopError('store-damaged', `${message} Check the state folder: loopctl doctor`)
  } finally {
    await handle.close()
  }
}

async function writeContent(
  workspace: WorkspaceDirectory,
  handle: FileHandle,
  entry: FileEntry,
): Promise<number> {
  if (entry.bytes <= wholeBytesMax) return writeAll(handle, await workspace.blobs.get(entry.blob))
  let written = 0
  for await (const chunk of workspace.blobs.stream(entry.blob))
    written += await writeAll(handle, chunk)
  return written
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<number> {
  let written = 0
  while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten
  return written
}

/** Readable by its owner; if executable, then for everyone who may read it. */
function toMode(replaced: BigIntStats, executable: boolean): number {
  const mode = (Number(replaced.mode) & 0o666) | 0o400
  return executable ? mode | ((mode & 0o444) >> 2) : mode
}
