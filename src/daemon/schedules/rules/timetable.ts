/**
 * The moments at which a schedule is due. Pure: the same cadence and zone give the same moments.
 *
 * 1. A time that the clocks skip is due once, when they have been set forward.
 * 2. A time that the clocks show twice is due once, the first time. Only a cron expression for every hour (`*`) is a rhythm
 *    and not a time: it is due whenever the clocks show its minutes.
 * 3. An interval is counted in real time from its anchor: the clocks of the zone do not matter.
 * 4. Outside of the active hours nothing is due.
 */

import type { ActiveHours } from '../../../protocol/schedule/active-hours.ts'
import type { Cadence } from '../../../protocol/schedule/cadence.ts'
import { createActivity } from './activity.ts'
import { createWallCron } from './wall-cron.ts'

export interface Timetable {
  /** The first moment after another. Undefined: there is none. */
  after(ms: number): number | undefined
  /** How many there are after a moment, up to another: counted up to `countMax`. */
  count(afterMs: number, toMs: number): number
  /** The next moment at which it may start something: now, or when its active hours begin. */
  opens(ms: number): number
}

export interface TimetableOptions {
  readonly cadence: Cadence
  readonly timeZone: string
  /** Where intervals are counted from. */
  readonly anchorMs: number
  readonly activeHours?: ActiveHours | undefined
}

export const countMax = 1000

/** How many days without a due moment are searched: every expression is due within 8 years, if at all. */
const windowsMax = 400

/** Rejects with `bad-request` what is never due. */
export function createTimetable(options: TimetableOptions): Timetable {
  const { cadence, timeZone, anchorMs, activeHours } = options
  const next =
    cadence.type === 'interval'
      ? (ms: number) => nextInterval(cadence.everyMs, anchorMs, ms)
      : createWallCron(cadence.expression, timeZone)
  const { isOpen, opens } = createActivity(activeHours, timeZone)
  function after(ms: number): number | undefined {
    let from = ms
    for (let tries = 0; tries < windowsMax; tries++) {
      const found = next(from)
      if (found === undefined || isOpen(found)) return found
      // What is due when they open counts as well.
      from = opens(found) - 1
    }
    return undefined
  }
  return {
    after,
    opens,
    count(afterMs, toMs) {
      if (cadence.type === 'interval' && activeHours === undefined) {
        return Math.min(countMax, countIntervals(cadence.everyMs, anchorMs, afterMs, toMs))
      }
      let count = 0
      for (let at = after(afterMs); at !== undefined && at <= toMs; at = after(at)) {
        count += 1
        if (count === countMax) break
      }
      return count
    },
  }
}

const nextInterval = (everyMs: number, anchorMs: number, ms: number): number =>
  anchorMs + (Math.floor((ms - anchorMs) / everyMs) + 1) * everyMs

const countIntervals = (everyMs: number, anchorMs: number, afterMs: number, toMs: number): number =>
  Math.max(0, Math.floor((toMs - anchorMs) / everyMs) - Math.floor((afterMs - anchorMs) / everyMs))
