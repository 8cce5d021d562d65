/** Lets a limited number of commands run at the same time, in the order in which they ask. */

import type { Signal } from '../../../loop/index.ts'

export interface CommandSlots {
  /** Rejects with the signal's reason if it aborts while waiting. */
  take(max: number, signal: Signal): Promise<() => void>
}

interface Waiting {
  readonly max: number
  start(): void
}

export function createCommandSlots(): CommandSlots {
  const queue: Waiting[] = []
  let running = 0

  function startNext(): void {
    const [next] = queue
    if (next === undefined || running >= next.max) return
    queue.shift()
    running += 1
    next.start()
    startNext()
  }

  function leave(): void {
    running -= 1
    startNext()
  }

  return {
    take: (max, signal) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = {
          max,
          start() {
            signal.removeEventListener('abort', abort)
            let isLeft = false
            resolve(() => {
              if (!isLeft) leave()
              isLeft = true
            })
          },
        }
        function abort(): void {
          const at = queue.indexOf(waiting)
          if (at >= 0) queue.splice(at, 1)
          reject(signal.reason)
          startNext()
        }
        if (signal.aborted) {
          reject(signal.reason)
          return
        }
        signal.addEventListener('abort', abort, { once: true })
        queue.push(waiting)
        startNext()
      }),
  }
}
