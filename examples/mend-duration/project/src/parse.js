import { unitNamed } from './units.js'

const part = /(\d+(?:\.\d+)?)\s*([a-z]+)/gi

/** `1h 30m` in milliseconds. A bare number is one of milliseconds. */
export function parse(text) {
  const trimmed = text.trim()
  if (trimmed === '') throw new RangeError('There is no duration in an empty text.')
  if (/^-?\d+$/.test(trimmed)) return Number(trimmed)
  const sign = trimmed.startsWith('-') ? -1 : 1
  let total = 0
  let parts = 0
  for (const [, count, name] of trimmed.matchAll(part)) {
    total += Number(count) * unitNamed(name).ms
    parts += 1
  }
  if (parts === 0) throw new RangeError(`"${text}" is no duration.`)
  return sign * Math.round(total)
}
