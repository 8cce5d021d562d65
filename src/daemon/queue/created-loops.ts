/**
 * The loops of runs that this daemon created and has not driven yet, so that it reads each loop file once. A daemon that
 * restarts, or that has too many of them, reads the file again; so does a run that is driven a second time.
 */

import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import type { RunId } from '../../loop/index.ts'
import { createRecentMap, type RecentMap } from '../../system/recent-map.ts'

export type CreatedLoops = RecentMap<RunId, LoadedLoop>

const loopsMax = 100

export const createCreatedLoops = (): CreatedLoops => createRecentMap(loopsMax)
