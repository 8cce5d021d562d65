/** How far the files of a folder are, as it is remembered in the folder itself. */

import type { RunId } from '../../loop/index.ts'
import { type Carried, nothingYet } from './carried.ts'
import type { HeldFolder } from './held-folder.ts'

export interface Marker {
  /** Raised when the same events make other files. */
  readonly version: number
  readonly run: RunId
  /** The last event that the files know of. */
  readonly seq: number
  readonly carried: Carried
  /** Of the files that grow. */
  readonly lengths: { readonly [path: string]: number }
  /** Of all that ever grew. */
  readonly bytes: number
  /** What came after the end of the run is there too, as of then. */
  readonly finished?: string
}

export const markerFile = '.folder.json'

const version = 1
const bytesMax = 16 * 1024 * 1024

export const nothingWritten = (run: RunId): Marker => ({
  version,
  run,
  seq: 0,
  carried: nothingYet,
  lengths: {},
  bytes: 0,
})

/** One that cannot be read, or is of another run, counts as none: then all is written anew. */
export async function readMarker(folder: HeldFolder, run: RunId): Promise<Marker> {
  const file = await folder.open(markerFile)
  if (file === undefined) return nothingWritten(run)
  try {
    if (file.stat.size > bytesMax) return nothingWritten(run)
    const read = JSON.parse(await file.handle.readFile('utf8')) as Partial<Marker> | null
    return isMarker(read, run) ? read : nothingWritten(run)
  } catch {
    return nothingWritten(run)
  } finally {
    await file.handle.close()
  }
}

function isMarker(read: Partial<Marker> | null, run: RunId): read is Marker {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
  return (
    read?.version === version &&
    read.run === run &&
    isCount(read.seq) &&
    isCount(read.bytes) &&
    typeof read.carried === 'object' &&
    typeof read.lengths === 'object' &&
    Object.values(read.lengths ?? {}).every(isCount)
  )
}
