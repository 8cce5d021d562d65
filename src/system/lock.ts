/** A mutex within one process; first come, first served. */

export interface Lock {
  /** Resolves with the function that releases the lock. */
  take(): Promise<() => void>
}

export function createLock(): Lock {
  let last: Promise<void> = Promise.resolve()
  return {
    take() {
      let release: () => void = () => undefined
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const acquired = last.then(() => release)
      last = last.then(() => released)
      return acquired
    },
  }
}
