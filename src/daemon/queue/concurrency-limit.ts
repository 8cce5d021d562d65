/** Limits concurrency; the others wait in order of arrival. */

export interface ConcurrencyLimit {
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let free = max
  return {
    async run(work) {
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
