/** Stops waiting when the signal aborts, even if the work ignores the signal. */

import type { Signal } from '../loop/index.ts'

export function abortable<T>(signal: Signal, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const free = (): void => signal.removeEventListener('abort', stop)
    work().then(
      (value) => {
        free()
        resolve(value)
      },
      (error: unknown) => {
        free()
        reject(error)
      },
    )
  })
}

/** A platform signal that follows ours and also has a time limit. Free it after use. */
export function createTimeLimitedSignal(
  signal: Signal,
  timeoutMs: number,
  expired: () => unknown,
): { readonly signal: AbortSignal; free(): void } {
  const own = new AbortController()
  const stop = (): void => own.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(() => own.abort(expired()), Math.min(timeoutMs, 2 ** 31 - 1))
  return {
    signal: own.signal,
    free() {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}
