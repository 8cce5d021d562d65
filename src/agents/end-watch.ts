/**
 * Detects a program that lingers: it has its result, prints nothing, and does not exit. Some do so
 * forever.
 */

import { type Clock, systemClock } from '../engine/index.ts'
import type { Signal } from '../loop/index.ts'

/** Interval of checks; nothing may have been printed between two of them. */
const checkMs = 5000

export interface EndWatch {
  /** Aborts when the run is stopped, or when the program lingers. */
  readonly signal: AbortSignal
  noteOutput(): void
  lingered(): boolean
  stop(): void
}

export interface EndWatchOptions {
  /** True when its model ended its work a while ago and was not called since. */
  readonly hasResult?: () => boolean
  readonly clock?: Clock
}

export function watchForEnd(
  { hasResult, clock = systemClock }: EndWatchOptions,
  signal: Signal,
): EndWatch {
  const end = new AbortController()
  const over = new AbortController()
  let isQuiet = false
  let lingered = false
  const forward = (): void => end.abort(signal.reason)
  signal.addEventListener('abort', forward, { once: true })
  if (signal.aborted) forward()
  const check = async (): Promise<void> => {
    while (!over.signal.aborted && !end.signal.aborted) {
      lingered = isQuiet && hasResult?.() === true
      if (lingered) return end.abort()
      isQuiet = true
      await clock.sleep(checkMs, over.signal)
    }
  }
  if (hasResult !== undefined) void check().catch(() => undefined)
  return {
    signal: end.signal,
    noteOutput() {
      isQuiet = false
    },
    lingered: () => lingered,
    stop() {
      over.abort()
      signal.removeEventListener('abort', forward)
    },
  }
}
