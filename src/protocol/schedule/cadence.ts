/**
 * The written form of when a schedule is due. Pure.
 *
 *   daily HH:MM · weekly <mon|monday..> HH:MM · every N<s|m|h|d> · five fields of cron · @daily and its like
 */

export type Cadence =
  | { readonly type: 'interval'; readonly everyMs: number }
  /** Five fields, or a nickname such as `@daily`. Whether the fields are valid is up to the timetable. */
  | { readonly type: 'cron'; readonly expression: string }

export interface CadenceProblem {
  readonly kind: 'format' | 'bad-time' | 'bad-weekday' | 'bad-interval'
  readonly message: string
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const intervalMsMax = 366 * unitMs.d
const charsMax = 200
/** Characters of cron expressions: names of months and days, and what croner adds, such as `L` and `#`. */
const cronField = /^[\dA-Za-z*/,?#-]+$/
const nicknames = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@hourly']

export const isCadenceProblem = (read: Cadence | CadenceProblem): read is CadenceProblem =>
  'kind' in read

export function parseCadence(written: string): Cadence | CadenceProblem {
  const text = written.trim()
  if (text.length > charsMax) return problem('format', 'it is too long')
  const words = text.split(/\s+/)
  const [first = ''] = words
  switch (first.toLowerCase()) {
    case 'daily':
      return parseDaily(words)
    case 'weekly':
      return parseWeekly(words)
    case 'every':
      return parseInterval(words)
  }
  if (words.length === 1 && nicknames.includes(first.toLowerCase())) {
    return { type: 'cron', expression: first.toLowerCase() }
  }
  if (words.length === 5 && words.every((word) => cronField.test(word))) {
    return { type: 'cron', expression: words.join(' ') }
  }
  return problem(
    'format',
    `${quoted(text)} is not a cadence: write "daily 09:00", "weekly mon 09:00", "every 10m", or the five fields of cron ("0 9 * * 1-5")`,
  )
}

function parseDaily(words: readonly string[]): Cadence | CadenceProblem {
  if (words.length !== 2) return problem('format', 'write it as "daily 09:00"')
  const at = parseTime(words[1])
  return typeof at === 'string' ? { type: 'cron', expression: `${at} * * *` } : at
}

function parseWeekly(words: readonly string[]): Cadence | CadenceProblem {
  const [, day = '', time] = words
  if (words.length !== 3) return problem('format', 'write it as "weekly mon 09:00"')
  const weekday = weekdays.findIndex(
    (name) => day.toLowerCase() === name || day.toLowerCase() === name.slice(0, 3),
  )
  if (weekday === -1) {
    return problem('bad-weekday', `${quoted(day)} is not a weekday: use mon or monday, tue…`)
  }
  const at = parseTime(time)
  return typeof at === 'string' ? { type: 'cron', expression: `${at} * * ${weekday}` } : at
}

function parseInterval(words: readonly string[]): Cadence | CadenceProblem {
  if (words.length !== 2) return problem('format', 'write it as "every 10m"')
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(words[1] ?? '') ?? []
  const everyMs = Number(digits) * (unitMs[unit as keyof typeof unitMs] ?? 0)
  if (everyMs > 0 && everyMs <= intervalMsMax) return { type: 'interval', everyMs }
  return problem(
    'bad-interval',
    `${quoted(words[1] ?? '')} is not an interval: use a number from 1 and s, m, h or d, such as 10m; at most 366d`,
  )
}

/** As the first two fields of cron. */
function parseTime(text = ''): string | CadenceProblem {
  const [, hour = '', minute = ''] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (hour !== '' && Number(hour) < 24 && Number(minute) < 60) {
    return `${Number(minute)} ${Number(hour)}`
  }
  return problem('bad-time', `${quoted(text)} is not a time: use 00:00 to 23:59`)
}

const problem = (kind: CadenceProblem['kind'], message: string): CadenceProblem => ({
  kind,
  message,
})

const quoted = (text: string): string => JSON.stringify(text.slice(0, 60))
