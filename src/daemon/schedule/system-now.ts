/** The time of this process, which nobody can set: for all who wait for moments beside runs. */

import { systemClock } from '../../engine/index.ts'

export const systemNow = (): number => systemClock.now()
