/** Brings a file of a tree back from the blobs, under a name that nothing has yet. */

import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { LoopError } from '../loop/index.ts'
import type { Bytes } from './bytes.ts'
import { at, type Place } from './place.ts'
import { wholeBytesMax } from './read-file.ts'
import type { FileEntry } from './tree-object.ts'

/** `replaced` is the file whose rights it takes over; a tree knows only if it may be executed. */
export async function writeFile(
  place: Place,
  path: Bytes,
  entry: FileEntry,
  replaced: BigIntStats | undefined,
): Promise<void> {
  const handle = await place.files.open(at(place, path), 'wx', entry.executable ? 0o777 : 0o666)
  try {
    if (replaced !== undefined) await handle.chmod(rights(replaced, entry.executable))
    const written = await writeContent(place, handle, entry)
    if (written === entry.bytes) return
    const what = `${entry.blob} has ${written} bytes and not ${entry.bytes}`
    const message = `A tree does not fit its content: ${what}.`
    throw new LoopError('store-damaged', `${message} Look at the record: loopctl doctor`)
  } finally {
    await handle.close()
  }
}

async function writeContent(place: Place, handle: FileHandle, entry: FileEntry): Promise<number> {
  if (entry.bytes <= wholeBytesMax) return writeAll(handle, await place.blobs.get(entry.blob))
  let written = 0
  for await (const chunk of place.blobs.stream(entry.blob)) written += await writeAll(handle, chunk)
  return written
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<number> {
  let written = 0
  while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten
  return written
}

/** Its owner may read it; who may read it may execute it, or nobody may. */
function rights(replaced: BigIntStats, executable: boolean): number {
  const mode = (Number(replaced.mode) & 0o666) | 0o400
  return executable ? mode | ((mode & 0o444) >> 2) : mode
}
