/** Numbers and times of a report as text. Times are in UTC: the reader may be anywhere. */

export const money = (micros: number): string => {
  const dollars = micros / 1_000_000
  return micros > 0 && dollars < 0.01 ? '<$0.01' : `$${dollars.toFixed(2)}`
}

export const utc = (atMs: number): string =>
  Number.isFinite(atMs) && Math.abs(atMs) < 8e15
    ? `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : ''

const second = 1000
const minute = 60 * second
const hour = 60 * minute

export function span(ms: number): string {
  if (ms < second) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < minute) return `${(ms / second).toFixed(1)} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min ${Math.round((ms % minute) / second)} s`
  return `${Math.floor(ms / hour)} h ${Math.round((ms % hour) / minute)} min`
}

/** `3 % (1 % to 9 %, 2 of 60)`. */
export const rate = (one: {
  readonly count: number
  readonly of: number
  readonly low: number
  readonly high: number
}): string =>
  `${percent(one.of === 0 ? 0 : one.count / one.of)} (95 %: ${percent(one.low)} to ${percent(one.high)}; ${one.count} of ${one.of})`

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
