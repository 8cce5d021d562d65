/** Counts the steps of an iteration that are in progress: requested, but not delivered yet. */

import type { Clock } from '../ports.ts'

export interface StepsUnderWay {
  asked(): void
  answered(): void
  /** Steps ran in parallel since the last time none was in progress. */
  readonly areBeside: boolean
  /** Resolves when none is in progress; undefined if none is. */
  idle(): Promise<void> | undefined
}

export function createStepsUnderWay(clock: Clock): StepsUnderWay {
  let count = 0
  let areBeside = false
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
    asked() {
      count++
      if (count > 1) areBeside = true
    },
    answered() {
      count--
      if (count > 0) return
      areBeside = false
      whenIdle()
    },
    get areBeside() {
      return areBeside
    },
    idle: () => (count === 0 ? undefined : becomeIdle()),
  }
}
