/**
 * Runs code that may hang, with a time limit: its signal aborts at the limit, and soon after it is
 * abandoned.
 */

import type { Signal } from '../loop/index.ts'

export interface TimeLimits {
  readonly timeoutMs: number
  /** For processes it started to end. */
  readonly graceMs: number
}

export type TimedResult<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'timeout' }

/** A longer timer would fire at once. */
const timerMsMax = 2 ** 31 - 1

/** Rejects with what the code throws, and with the reason of the outer signal if that aborts. */
export async function runWithTimeout<T>(
  { timeoutMs, graceMs }: TimeLimits,
  outer: Signal,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<TimedResult<T>> {
  // A signal that has already aborted fires no event.
  outer.throwIfAborted()
  const limit = new AbortController()
  const stop = (): void => limit.abort(outer.reason)
  outer.addEventListener('abort', stop, { once: true })
  const ms = Math.min(timeoutMs, timerMsMax)
  const timer = setTimeout(() => limit.abort(new Error('The time limit was reached.')), ms)
  try {
    const running = start(run, limit.signal)
    const stopped = new Promise<'stopped'>((resolve) => {
      limit.signal.addEventListener('abort', () => resolve('stopped'), { once: true })
    })
    const first = await Promise.race([running, stopped])
    if (first !== 'stopped') return first
    await waitUntilSettled(running, graceMs)
    if (outer.aborted) throw outer.reason
    return { type: 'timeout' }
  } catch (error) {
    // What a tool throws because it was stopped is not a failure of the tool.
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
): Promise<TimedResult<T>> {
  return { type: 'done', value: await run(signal) }
}

/** Waits until it settles, but only for a while. */
async function waitUntilSettled(running: Promise<unknown>, ms: number): Promise<void> {
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
