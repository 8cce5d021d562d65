/** The active hours of a schedule, by the clock on the wall of its zone. */

import type { ActiveHours } from '../../../protocol/schedule/active-hours.ts'
import { createWallCron } from './wall-cron.ts'
import { wallTime } from './zone-time.ts'

export interface Activity {
  isOpen(ms: number): boolean
  /** The moment itself if it is open, else when the hours begin. */
  opens(ms: number): number
}

const always: Activity = { isOpen: () => true, opens: (ms) => ms }

export function createActivity(hours: ActiveHours | undefined, timeZone: string): Activity {
  if (hours === undefined) return always
  const { days, from, to } = hours
  const expression = `${from % 60} ${Math.floor(from / 60)} * * ${days.join(',')}`
  const begins = createWallCron(expression, timeZone)
  const isOpen = (ms: number): boolean => {
    const { weekday, minutes } = wallTime(timeZone, ms)
    if (from < to) return days.includes(weekday) && minutes >= from && minutes < to
    const before = (weekday + 6) % 7
    return minutes >= from ? days.includes(weekday) : minutes < to && days.includes(before)
  }
  return {
    isOpen,
    opens: (ms) => (isOpen(ms) ? ms : (begins(ms) ?? ms)),
  }
}
