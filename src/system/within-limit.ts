/** Work that must answer in time; what comes later is not waited for. */

export type Within<T> =
  | { readonly type: 'answer'; readonly value: T }
  | { readonly type: 'timeout' }

export async function withinLimit<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Within<T>> {
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Within<T>>((resolve) => {
    timer = setTimeout(() => {
      over.abort()
      resolve({ type: 'timeout' })
    }, timeoutMs)
  })
  try {
    const asked = work(over.signal)
    // Nobody hears of what fails after its time.
    asked.catch(() => undefined)
    return await Promise.race([asked.then((value) => ({ type: 'answer', value }) as const), late])
  } finally {
    clearTimeout(timer)
  }
}
