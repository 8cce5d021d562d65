/** A monotonic clock for waiting: setting the system time does not affect it. */

import { systemClock } from '../../engine/index.ts'

export const systemNow = (): number => systemClock.now()
