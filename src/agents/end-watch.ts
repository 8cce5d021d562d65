/**
 * Whether a program only lingers: it has its result, prints nothing, and does not end. Some do so for
 * ever.
 */

import { type Clock, systemClock } from '../engine/index.ts'
import type { Signal } from '../loop/index.ts'

/** Looked at now and then; between two looks nothing may have been printed. */
const lookMs = 5000

export interface EndWatch {
  /** Aborts when the run is stopped, or when the program only lingers. */
  readonly signal: AbortSignal
  heard(): void
  lingered(): boolean
  stop(): void
}

export interface EndWatchOptions {
  /** True when its model has ended its work and nothing was asked since, for a while. */
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
  const look = async (): Promise<void> => {
    while (!over.signal.aborted && !end.signal.aborted) {
      lingered = isQuiet && hasResult?.() === true
      if (lingered) return end.abort()
      isQuiet = true
      await clock.sleep(lookMs, over.signal)
    }
  }
  if (hasResult !== undefined) void look().catch(() => undefined)
  return {
    signal: end.signal,
    heard() {
      isQuiet = false
    },
    lingered: () => lingered,
    stop() {
      over.abort()
      signal.removeEventListener('abort', forward)
    },
  }
}
