/**
 * The wall-clock time at which this process started, plus the time that has passed since.
 *
 * K1. Setting the system clock, by hours or by years, has no effect: no timeout gets shorter or longer,
 *     and no run is charged for years.
 * K2. Small clock corrections are followed. So is the time the machine spent asleep, which monotonic
 *     timers do not count but people do.
 * A newly set system clock takes effect when the process is next started.
 */

import { readFileSync } from 'node:fs'

export interface TimeSources {
  /** The system clock. */
  wallMs(): number
  /** A monotonic clock that stops while the machine sleeps. */
  steadyMs(): number
  /** A monotonic clock that continues while the machine sleeps; undefined if the system has none. */
  sinceBootMs(): number | undefined
}

/** A larger difference is a clock that was set, not a correction. */
const correctionMsMax = 1000

/** How often to check whether the machine has slept, once the clocks differ. */
const sleepCheckIntervalMs = 1000

interface Anchor {
  readonly wallMs: number
  readonly steadyMs: number
  readonly bootMs: number | undefined
}

export function createSteadyTime(sources: TimeSources = machine): () => number {
  let anchor: Anchor | undefined
  let sleepCheckedAtMs = Number.NEGATIVE_INFINITY

  return () => {
    const wallMs = sources.wallMs()
    const steadyMs = sources.steadyMs()
    anchor ??= { wallMs, steadyMs, bootMs: sources.sinceBootMs() }
    const expectedMs = anchor.wallMs + (steadyMs - anchor.steadyMs)
    if (Math.abs(wallMs - expectedMs) <= correctionMsMax) {
      anchor = { ...anchor, wallMs: anchor.wallMs + (wallMs - expectedMs) }
      return wallMs
    }
    if (steadyMs - sleepCheckedAtMs < sleepCheckIntervalMs) return Math.round(expectedMs)
    sleepCheckedAtMs = steadyMs
    const bootMs = sources.sinceBootMs()
    const sleptMs =
      bootMs === undefined || anchor.bootMs === undefined
        ? 0
        : Math.max(0, bootMs - anchor.bootMs - (steadyMs - anchor.steadyMs))
    if (sleptMs <= correctionMsMax) return Math.round(expectedMs)
    anchor = { wallMs: expectedMs + sleptMs, steadyMs, bootMs }
    return Math.round(anchor.wallMs)
  }
}

const machine: TimeSources = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  sinceBootMs() {
    try {
      const [seconds] = readFileSync('/proc/uptime', 'utf8').split(' ')
      return Number(seconds) * 1000
    } catch {
      return undefined
    }
  },
}
