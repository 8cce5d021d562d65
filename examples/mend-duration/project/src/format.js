import { units } from './units.js'

/** Milliseconds as people write them: `1h 30m`. At most so many parts, the rest is left out. */
export function format(ms, { parts = 2 } = {}) {
  if (ms === 0) return '0ms'
  const words = []
  let rest = Math.abs(ms)
  for (const unit of units) {
    if (words.length >= parts) break
    if (rest > unit.ms) {
      const count = Math.floor(rest / unit.ms)
      words.push(`${count}${unit.name}`)
      rest -= count * unit.ms
    }
  }
  return (ms < 0 ? '-' : '') + words.join(' ')
}
