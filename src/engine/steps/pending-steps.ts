/** Counts the steps of an iteration that are in progress: requested, but not delivered yet. */

import type { Clock } from '../ports.ts'

export interface PendingSteps {
  start(): void
  finish(): void
  /** Steps ran in parallel since the last time none was in progress. */
  readonly ranInParallel: boolean
  /** Resolves when none is in progress; undefined if none is. */
  idle(): Promise<void> | undefined
}

export function createPendingSteps(clock: Clock): PendingSteps {
  let count = 0
  let ranInParallel = false
  let whenIdle: () => void = () => undefined

  async function becomeIdle(): Promise<void> {
    while (count > 0) {
      await new Promise<void>((resolve) => {
        whenIdle = resolve
      })
      // With the last result, the code may request another step.
      await clock.turn()
    }
  }

  return {
    start() {
      count++
      if (count > 1) ranInParallel = true
    },
    finish() {
      count--
      if (count > 0) return
      ranInParallel = false
      whenIdle()
    },
    get ranInParallel() {
      return ranInParallel
    },
    idle: () => (count === 0 ? undefined : becomeIdle()),
  }
}
