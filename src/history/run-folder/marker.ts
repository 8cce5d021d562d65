/** The position of the files of a folder, stored in the folder itself. */

import type { RunId } from '../../loop/index.ts'
import { type FoldState, initialFoldState } from './fold-state.ts'
import type { SafeFolder } from './safe-folder.ts'

export interface Marker {
  /** Incremented when the same events yield other files. */
  readonly version: number
  readonly run: RunId
  /** The last event that the files include. */
  readonly seq: number
  readonly carried: FoldState
  /** Lengths of the files that grow. */
  readonly lengths: { readonly [path: string]: number }
  /** Total size of all files that ever grew. */
  readonly bytes: number
  /** Set when the final files were written: the time of their postmortem. */
  readonly finished?: string
}

export const markerFile = '.folder.json'

const version = 1
const bytesMax = 16 * 1024 * 1024

export const createMarker = (run: RunId): Marker => ({
  version,
  run,
  seq: 0,
  carried: initialFoldState,
  lengths: {},
  bytes: 0,
})

/** An unreadable marker, or one of another run, counts as missing: then everything is written again. */
export async function readMarker(folder: SafeFolder, run: RunId): Promise<Marker> {
  const file = await folder.open(markerFile)
  if (file === undefined) return createMarker(run)
  try {
    if (file.stat.size > bytesMax) return createMarker(run)
    const read = JSON.parse(await file.handle.readFile('utf8')) as Partial<Marker> | null
    return isMarker(read, run) ? read : createMarker(run)
  } catch {
    return createMarker(run)
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
