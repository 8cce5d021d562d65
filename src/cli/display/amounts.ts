/** Formats durations, times, amounts and sizes for people. */

import { plural } from '../../loop/excerpt/plural.ts'
import { type Amount, inputTokensOf } from '../../loop/index.ts'

export function renderSpan(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  return `${(seconds / 3600).toFixed(1)} h`
}

/** The local time of day, with the date if it is a day away or more. */
export function renderClock(ms: number, nowMs: number): string {
  const at = new Date(ms)
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  return Math.abs(ms - nowMs) < 86_400_000 ? clock : `${at.toISOString().slice(0, 10)} ${clock}`
}

export const renderCount = (count: number): string => count.toLocaleString('en-US')

/** `1,200 tokens (900 in / 300 out)`; only the sum where the output is unknown. */
export const renderTokens = (amount: Amount): string =>
  `${plural(amount.tokens, 'token')}${renderSplit(amount)}`

/** ` (900 in / 300 out)`. Reports of agents may contain anything. */
export const renderSplit = (amount: Amount): string =>
  typeof amount.outputTokens !== 'number'
    ? ''
    : ` (${renderCount(inputTokensOf(amount))} in / ${renderCount(amount.outputTokens)} out)`

/** In cents; amounts below one cent get four digits. */
export function renderMoney(micros: number): string {
  const dollars = micros / 1e6
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`
}

export { plural }

/** Such as 12 KB or 3.4 MB. */
export function renderSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${value >= 10 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
