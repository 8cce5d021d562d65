/** Numbers and times as text. */

export const money = (micros: number): string => {
  const dollars = micros / 1_000_000
  if (micros === 0) return '$0'
  if (dollars < 0.01) return '<$0.01'
  return `$${dollars < 100 ? dollars.toFixed(2) : Math.round(dollars).toLocaleString('en')}`
}

const units = [
  [1_000_000_000, 'B'],
  [1_000_000, 'M'],
  [1000, 'k'],
] as const

/** `12.3k`. */
export function shortCount(count: number): string {
  for (const [size, unit] of units) {
    if (count >= size) return `${(count / size).toFixed(count / size < 10 ? 1 : 0)}${unit}`
  }
  return String(Math.round(count))
}

export const bytes = (count: number): string => {
  const names = ['B', 'kB', 'MB', 'GB', 'TB']
  let size = count
  let at = 0
  while (size >= 1000 && at < names.length - 1) {
    size /= 1000
    at++
  }
  return `${at === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${names[at] ?? ''}`
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** `3 min 20 s`. */
export function span(ms: number): string {
  if (ms < second) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10 * second) return `${(ms / second).toFixed(1)} s`
  if (ms < minute) return `${Math.round(ms / second)} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min ${Math.round((ms % minute) / second)} s`
  if (ms < day) return `${Math.floor(ms / hour)} h ${Math.round((ms % hour) / minute)} min`
  return `${Math.floor(ms / day)} d ${Math.round((ms % day) / hour)} h`
}

/** `5 min ago`, `in 2 h`. */
export function relative(atMs: number, nowMs: number): string {
  const distance = Math.abs(nowMs - atMs)
  const text =
    distance < minute
      ? `${Math.round(distance / second)} s`
      : distance < hour
        ? `${Math.round(distance / minute)} min`
        : distance < 2 * day
          ? `${Math.round(distance / hour)} h`
          : `${Math.round(distance / day)} d`
  if (distance < 5 * second) return 'now'
  return atMs <= nowMs ? `${text} ago` : `in ${text}`
}

export const absolute = (atMs: number): string =>
  new Date(atMs).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

export const clock = (atMs: number): string =>
  new Date(atMs).toLocaleTimeString(undefined, { hour12: false })

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** The last parts of a path. */
export const shortPath = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '')
  return parts.length <= 2 ? path : `…/${parts.slice(-2).join('/')}`
}

/** One word for a shell, so that a command that is copied means what it shows. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
