/**
 * The loops of runs that this daemon created and has not driven yet, so that it reads each loop file once. A daemon that
 * restarts, or that has too many of them, reads the file again.
 */

import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import type { RunId } from '../../loop/index.ts'

export interface CreatedLoops {
  keep(run: RunId, loaded: LoadedLoop): void
  /** Removes it: a run that is driven a second time reads its file again. */
  take(run: RunId): LoadedLoop | undefined
}

const keptMax = 100

export function createCreatedLoops(): CreatedLoops {
  const kept = new Map<RunId, LoadedLoop>()
  return {
    keep(run, loaded) {
      kept.set(run, loaded)
      const [oldest] = kept.keys()
      if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest)
    },
    take(run) {
      const loaded = kept.get(run)
      kept.delete(run)
      return loaded
    },
  }
}
