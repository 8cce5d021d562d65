/** Limits concurrency; the others wait in order of arrival. */

export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>
}

export function createTurns(max: number): Turns {
  const waiting: (() => void)[] = []
  let free = max
  return {
    async take(work) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) free++
        else next()
      }
    },
  }
}
