/** One at a time, first come first served. */

export interface Lock {
  /** Resolves with the function that gives it back. */
  take(): Promise<() => void>
}

export function createLock(): Lock {
  let last: Promise<void> = Promise.resolve()
  return {
    take() {
      let free: () => void = () => undefined
      const mine = new Promise<void>((resolve) => {
        free = resolve
      })
      const turn = last.then(() => free)
      last = last.then(() => mine)
      return turn
    },
  }
}
