/**
 * The moments of a cron expression in a time zone. croner enumerates the times on the wall; which moments those are is
 * decided here, since its own rules differ between expressions: it drops a list of times that are skipped, and repeats a
 * range of hours that comes twice.
 */

import { Cron } from 'croner'
import { LoopError } from '../../../loop/index.ts'
import { findChange, firstMoment, offsetMs } from './zone-time.ts'

/** The first moment after another. Undefined: there is none. */
export type NextMoment = (ms: number) => number | undefined

/** Rejects with `bad-request` what croner does not accept. */
export function createWallCron(expression: string, timeZone: string): NextMoment {
  const nextWall = parse(expression)
  const isRhythm = expression === '@hourly' || expression.split(' ')[1] === '*'
  return isRhythm ? nextShown(nextWall, timeZone) : nextReached(nextWall, timeZone)
}

/** Each time once: when the clock first shows it, or right after it was skipped. */
const nextReached =
  (nextWall: NextMoment, timeZone: string): NextMoment =>
  (ms) => {
    let wall = nextWall(ms + offsetMs(timeZone, ms))
    while (wall !== undefined) {
      const moment = firstMoment(timeZone, wall)
      if (moment > ms) return moment
      // The clock was set back, and shows times that were due before.
      wall = nextWall(wall)
    }
    return undefined
  }

/** Whenever the clock shows it: twice if it is set back, not at all if it is skipped. */
const nextShown =
  (nextWall: NextMoment, timeZone: string): NextMoment =>
  (ms) => {
    const offset = offsetMs(timeZone, ms)
    const wall = nextWall(ms + offset)
    if (wall === undefined) return undefined
    const moment = wall - offset
    const later = offsetMs(timeZone, moment)
    if (later === offset) return moment
    const changeMs = findChange(timeZone, ms, moment)
    const after = nextWall(changeMs + later - 1)
    return after === undefined ? undefined : after - later
  }

function parse(expression: string): NextMoment {
  try {
    const cron = new Cron(expression, { mode: '5-part', timezone: 'UTC', paused: true })
    return (wall) => cron.nextRun(new Date(wall))?.getTime()
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    throw new LoopError(
      'bad-request',
      `${JSON.stringify(expression)} is not a cron expression: ${reason.replace(/\.$/, '')}. It has five fields, such as "0 9 * * 1-5".`,
    )
  }
}
