/** Time and randomness of the machine. */

import { setTimeout as delay } from 'node:timers/promises'
import { createSteadyTime } from '../system/index.ts'
import type { Clock } from './ports.ts'

/** Platform timers hold 31 bits; longer waits consist of several. */
const timerMsMax = 2 ** 31 - 1

export const systemClock: Clock = {
  now: createSteadyTime(),
  async sleep(ms, signal) {
    let left = ms
    do {
      const part = Math.min(left, timerMsMax)
      await delay(part, undefined, signal === undefined ? {} : { signal: signal as AbortSignal })
      left -= part
    } while (left > 0)
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  random: () => Math.random(),
}
