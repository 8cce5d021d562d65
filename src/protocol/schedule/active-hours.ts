/** The written form of when a schedule may start runs: `09:00-17:00`, `mon-fri 22:00-06:00`, `sat,sun 08:00-20:00`. Pure. */

export interface ActiveHours {
  /** 0: Sunday. On which the hours begin; those after midnight belong to the day before. */
  readonly days: readonly number[]
  /** In minutes since midnight. */
  readonly from: number
  /** Exclusive. Not after `from`: on the next day. */
  readonly to: number
}

const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const minutesOfDay = 24 * 60

/** Undefined: it is not written like this. */
export function parseActiveHours(text: string): ActiveHours | undefined {
  const [, days = '', from = '', to = ''] =
    /^(?:([a-z,-]{3,40}) +)?(\d{1,2}:\d{2})-(\d{1,2}:\d{2})$/i.exec(text.trim()) ?? []
  const start = toMinutes(from)
  const end = toMinutes(to)
  const on = days === '' ? names.map((_, day) => day) : parseDays(days.toLowerCase())
  if (start === undefined || end === undefined || on === undefined) return undefined
  if (start === minutesOfDay || start === end) return undefined
  return { days: on, from: start, to: end }
}

function toMinutes(text: string): number | undefined {
  const [hour = '', minute = ''] = text.split(':')
  const minutes = Number(hour) * 60 + Number(minute)
  return hour !== '' && Number(minute) < 60 && minutes <= minutesOfDay ? minutes : undefined
}

function parseDays(text: string): readonly number[] | undefined {
  const days = new Set<number>()
  for (const part of text.split(',')) {
    const [first = '', last = first, ...more] = part.split('-')
    const from = names.indexOf(first)
    const to = names.indexOf(last)
    if (from === -1 || to === -1 || more.length > 0) return undefined
    for (let day = from; ; day = (day + 1) % 7) {
      days.add(day)
      if (day === to) break
    }
  }
  return [...days].toSorted((one, other) => one - other)
}
