/**
 * Loop files in YAML that this process read, so that a preview and the run that follows it read a file once.
 *
 * 1. A file is reused only while it and every file that it names are unchanged on disk.
 * 2. A file that changed just before it was read is reused only if the user reviewed exactly that content, since its
 *    time stamps may not show another change.
 */

import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { ReadLoopFile } from '../definition/loop-file/index.ts'
import { createRecentMap } from '../system/recent-map.ts'

export interface ReadLoops {
  /** The file as it was read, or as it is now. `reviewed`: the digest of the content that the user reviewed. */
  read(path: string, reader: Reader, reviewed?: string): Promise<ReadLoopFile>
}

export interface Reader {
  /** Reads of different readers are not exchanged. */
  readonly name: string
  read(path: string): Promise<ReadLoopFile>
}

interface KeptRead {
  readonly read: ReadLoopFile
  readonly reader: string
  readonly stamps: readonly string[]
  /** Its time stamps would show every later change. */
  readonly isSettled: boolean
}

const filesMax = 16
/** Longer than the resolution of time stamps on common file systems. */
const settledMs = 2000

export function createReadLoops(now: () => number = Date.now): ReadLoops {
  const kept = createRecentMap<string, KeptRead>(filesMax)

  async function remember(
    path: string,
    reader: string,
    read: ReadLoopFile,
    beganMs: number,
  ): Promise<void> {
    const found = await stampFiles(read).catch(() => undefined)
    kept.delete(path)
    if (found === undefined) return
    const { stamps, changedMs } = found
    kept.set(path, { read, reader, stamps, isSettled: changedMs < beganMs - settledMs })
  }

  return {
    async read(path, reader, reviewed) {
      const known = kept.get(path)
      const isMeant = known?.isSettled === true || known?.read.digest === reviewed
      if (known?.reader === reader.name && isMeant) {
        const { stamps } = await stampFiles(known.read).catch(() => ({ stamps: [] }))
        if (stamps.join('\n') === known.stamps.join('\n')) return known.read
      }
      const beganMs = now()
      const read = await reader.read(path)
      await remember(path, reader.name, read, beganMs)
      return read
    },
  }
}

/** Changes whenever one of the files is written, replaced or renamed. */
async function stampFiles({
  path,
  files,
}: ReadLoopFile): Promise<{ readonly stamps: readonly string[]; readonly changedMs: number }> {
  const paths = files.map((file) => resolve(dirname(path), file.path))
  const stats = await Promise.all(paths.map((one) => stat(one, { bigint: true })))
  return {
    stamps: stats.map(({ dev, ino, size, mtimeNs, ctimeNs }) =>
      [dev, ino, size, mtimeNs, ctimeNs].join(' '),
    ),
    changedMs: Math.max(
      ...stats.map(({ mtimeMs, ctimeMs }) => Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs)),
    ),
  }
}
