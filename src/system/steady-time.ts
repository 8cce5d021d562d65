/**
 * The time of day as it was when this process began, and how much has passed since.
 *
 * K1. It goes on as fast as time does. A clock on the wall that is set, by hours or by years, moves
 *     nothing here: no time-out is shorter or longer for it, and no run is charged for years.
 * K2. Small corrections are followed. So is the time that a machine was asleep, which no timer counts
 *     but people do.
 * The new time of day counts from the next start of the process.
 */

import { readFileSync } from 'node:fs'

export interface TimeSources {
  /** The clock on the wall. */
  wallMs(): number
  /** Never set, and stands still while the machine sleeps. */
  steadyMs(): number
  /** Never set, and goes on while the machine sleeps; undefined where nobody can tell. */
  sinceBootMs(): number | undefined
}

/** More than this is no correction. */
const correctionMsMax = 1000

/** How often it is looked whether the machine has slept, once the clocks differ. */
const lookMs = 1000

interface Anchor {
  readonly wallMs: number
  readonly steadyMs: number
  readonly bootMs: number | undefined
}

export function createSteadyTime(sources: TimeSources = machine): () => number {
  let anchor: Anchor | undefined
  let lookedAtMs = Number.NEGATIVE_INFINITY

  return () => {
    const wallMs = sources.wallMs()
    const steadyMs = sources.steadyMs()
    anchor ??= { wallMs, steadyMs, bootMs: sources.sinceBootMs() }
    const expectedMs = anchor.wallMs + (steadyMs - anchor.steadyMs)
    if (Math.abs(wallMs - expectedMs) <= correctionMsMax) {
      anchor = { ...anchor, wallMs: anchor.wallMs + (wallMs - expectedMs) }
      return wallMs
    }
    if (steadyMs - lookedAtMs < lookMs) return Math.round(expectedMs)
    lookedAtMs = steadyMs
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
