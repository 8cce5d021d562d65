/**
 * When a schedule is due, found by looking at the clock of its zone minute by minute: slow, and without any of the code
 * that it is compared with. Only what `Intl` knows of zones is the same.
 */

export interface ModelTime {
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly month: number
  readonly weekday: number
}

/** Whether a time on the wall is meant. */
export type Wanted = (time: ModelTime) => boolean

const minuteMs = 60_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** Minutes since 1970 as the clock shows them. */
export function wallMinutes(timeZone: string, ms: number): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  formats.set(timeZone, format)
  return Date.parse(`${format.format(ms).replace(' ', 'T')}:00Z`) / minuteMs
}

export function toModelTime(wall: number): ModelTime {
  const date = new Date(wall * minuteMs)
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  }
}

/** Every moment in (from, to]. The span may be long: the clock is looked at once an hour, and each minute around a change. */
export function modelMoments(
  timeZone: string,
  wanted: Wanted,
  {
    fromMs,
    toMs,
    isRhythm = false,
  }: {
    readonly fromMs: number
    readonly toMs: number
    readonly isRhythm?: boolean
  },
): readonly number[] {
  const moments: number[] = []
  // Looks back over a change, which decides what was shown before.
  let at = Math.floor(fromMs / minuteMs) - 26 * 60
  let shown = wallMinutes(timeZone, at * minuteMs)
  let highest = shown
  const end = Math.floor(toMs / minuteMs)
  const add = (): void => {
    const ms = at * minuteMs
    if (ms > fromMs && ms <= toMs) moments.push(ms)
  }
  const isMeant = (wall: number): boolean => wanted(toModelTime(wall))
  while (at < end) {
    const hour = wallMinutes(timeZone, (at + 60) * minuteMs)
    const isPlain = hour === shown + 60
    for (let step = 1; step <= 60 && at < end; step++) {
      at += 1
      const next = isPlain ? shown + 1 : wallMinutes(timeZone, at * minuteMs)
      if (isRhythm) {
        if (isMeant(next)) add()
      } else {
        // Everything that was skipped or is shown for the first time.
        let isDue = false
        for (let wall = highest + 1; wall <= next; wall++) isDue ||= isMeant(wall)
        if (isDue) add()
      }
      highest = Math.max(highest, next)
      shown = next
    }
  }
  return moments
}
