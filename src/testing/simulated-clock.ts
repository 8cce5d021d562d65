/**
 * A clock on virtual time, for tests of loops: hours pass in milliseconds, and a seed decides the
 * order of everything that is due at one moment.
 */

import type { Clock } from '../engine/index.ts'
import { seededRandom } from './seeded-random.ts'
import { createSimulatedTime, type Lane, settled } from './simulated-time.ts'

/** A clock on virtual time: hours pass in milliseconds. */
export interface SimulatedClock extends Clock {
  /** For ports that take a function to call later, as the journal's `schedule` does. */
  schedule(task: () => void): void
  /** Lets time pass until the work is done, and returns its result. Rejects if it never ends. */
  run<T>(work: Promise<T>): Promise<T>
}

const tasksMax = 1_000_000

/** Creates a clock on virtual time. The seed decides the order of what is due at the same moment. */
export function createSimulatedClock(seed: number): SimulatedClock {
  const time = createSimulatedTime(seededRandom(seed))
  const lane: Lane = { name: 'test', state: 'running' }
  return {
    ...time.clockOf(lane),
    schedule(task) {
      time.post(lane, 0, task)
    },
    async run<T>(work: Promise<T>): Promise<T> {
      let done = false
      const noticed = work.finally(() => {
        done = true
      })
      noticed.catch(() => undefined)
      await settled()
      while (!done) {
        if (!(await time.step())) throw new Error('it waits for something that never comes')
        if (time.tasks > tasksMax) throw new Error(`it is not done after ${tasksMax} tasks`)
      }
      return noticed
    },
  }
}
