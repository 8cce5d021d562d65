/** Runs work with a time limit; a result that comes later is ignored. */

export type TimedResult<T> =
  | { readonly type: 'answer'; readonly value: T }
  | { readonly type: 'timeout' }

export async function runWithTimeout<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<TimedResult<T>> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<TimedResult<T>>((resolve) => {
    timer = setTimeout(() => {
      controller.abort()
      resolve({ type: 'timeout' })
    }, timeoutMs)
  })
  try {
    const answer = work(controller.signal)
    // Without this, a failure after the timeout would be an unhandled rejection.
    answer.catch(() => undefined)
    return await Promise.race([
      answer.then((value) => ({ type: 'answer', value }) as const),
      timeout,
    ])
  } finally {
    clearTimeout(timer)
  }
}
