/** Code that may hang, with an end: its signal aborts at the limit, and soon after it is left alone. */

import type { Signal } from '../loop/index.ts'

export interface TimeLimits {
  readonly timeoutMs: number
  /** For what it started to be gone. */
  readonly graceMs: number
}

export type Within<T> = { readonly type: 'done'; readonly value: T } | { readonly type: 'timeout' }

/** A longer timer would fire at once. */
const timerMsMax = 2 ** 31 - 1

/** Rejects with what the code throws, and with the reason of the outer signal when that aborts. */
export async function runWithin<T>(
  { timeoutMs, graceMs }: TimeLimits,
  outer: Signal,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<Within<T>> {
  // One that aborted already tells nobody again.
  outer.throwIfAborted()
  const limit = new AbortController()
  const stop = (): void => limit.abort(outer.reason)
  outer.addEventListener('abort', stop, { once: true })
  const ms = Math.min(timeoutMs, timerMsMax)
  const timer = setTimeout(() => limit.abort(new Error('The time limit is over.')), ms)
  try {
    const running = start(run, limit.signal)
    const stopped = new Promise<'stopped'>((resolve) => {
      limit.signal.addEventListener('abort', () => resolve('stopped'), { once: true })
    })
    const first = await Promise.race([running, stopped])
    if (first !== 'stopped') return first
    await settled(running, graceMs)
    if (outer.aborted) throw outer.reason
    return { type: 'timeout' }
  } catch (error) {
    // What a tool throws because it was stopped is no failure of its own.
    if (limit.signal.aborted && !outer.aborted) return { type: 'timeout' }
    throw error
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', stop)
  }
}

async function start<T>(
  run: (signal: AbortSignal) => T | Promise<T>,
  signal: AbortSignal,
): Promise<Within<T>> {
  return { type: 'done', value: await run(signal) }
}

/** Waits for an end of any kind, for a while. */
async function settled(running: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([
    running.then(
      () => {},
      () => {},
    ),
    late,
  ])
  clearTimeout(timer)
}
