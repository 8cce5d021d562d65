/** How many steps of an iteration are under way: asked for, and not answered yet. */

import type { Clock } from '../ports.ts'

export interface StepsUnderWay {
  asked(): void
  answered(): void
  /** Some were beside each other since none was under way. */
  readonly areBeside: boolean
  /** Resolves when none is; undefined: none is. */
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
      // What the code does with the last result may be to ask for another.
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
