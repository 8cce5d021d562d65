/** The clock on the wall of a time zone. Its times are written as if they were UTC: `wall`, in milliseconds. */

export interface WallTime {
  /** 0: Sunday. */
  readonly weekday: number
  /** In minutes since midnight. */
  readonly minutes: number
  /** Such as `2026-03-29`. */
  readonly date: string
}

const formats = new Map<string, Intl.DateTimeFormat>()
const dayMs = 86_400_000
const minuteMs = 60_000

export function isTimeZone(name: string): boolean {
  try {
    return formatFor(name) !== undefined
  } catch {
    return false
  }
}

export const machineZone = (): string => new Intl.DateTimeFormat('en').resolvedOptions().timeZone

export function wallTime(timeZone: string, ms: number): WallTime {
  const wall = new Date(ms + offsetMs(timeZone, ms))
  return {
    date: wall.toISOString().slice(0, 10),
    weekday: wall.getUTCDay(),
    minutes: wall.getUTCHours() * 60 + wall.getUTCMinutes(),
  }
}

/** How far the clock on the wall is ahead of UTC. */
export function offsetMs(timeZone: string, ms: number): number {
  const whole = Math.floor(ms / 1000) * 1000
  const parts: Record<string, number> = {}
  for (const { type, value } of formatFor(timeZone).formatToParts(whole)) {
    if (type !== 'literal') parts[type] = Number(value)
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole
}

/** The first moment at which the clock shows this time or a later one: a time that is skipped is reached right after. */
export function firstMoment(timeZone: string, wall: number): number {
  const before = offsetMs(timeZone, wall - dayMs)
  const after = offsetMs(timeZone, wall + dayMs)
  const early = wall - Math.max(before, after)
  if (before === after || shows(timeZone, early, wall)) return early
  const late = wall - Math.min(before, after)
  return shows(timeZone, late, wall) ? late : findChange(timeZone, early, late)
}

const shows = (timeZone: string, ms: number, wall: number): boolean =>
  ms + offsetMs(timeZone, ms) === wall

/** The moment between two others at which the clock is changed. */
export function findChange(timeZone: string, fromMs: number, toMs: number): number {
  const before = offsetMs(timeZone, fromMs)
  let [low, high] = [fromMs, toMs]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (offsetMs(timeZone, middle) === before) low = Math.max(middle, low + 1)
    else high = middle
  }
  return Math.round(high / minuteMs) * minuteMs
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, made)
  return made
}
