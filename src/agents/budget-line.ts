/** One short line that informs a model of the remaining budget. */

import type { Remaining } from '../loop/index.ts'

/** From here on the model is asked to finish. */
const fewTurns = 3

export function budgetLine(remaining: Remaining, turnsLeft: number): string {
  const { tokens, costMicros, timeMs } = remaining
  const parts = [
    `${turnsLeft} ${turnsLeft === 1 ? 'turn' : 'turns'}`,
    `${grouped(Math.max(0, Math.floor(tokens)))} tokens`,
    `$${(Math.max(0, costMicros) / 1_000_000).toFixed(2)}`,
    `${Math.max(0, Math.floor(timeMs / 60_000))} min`,
  ]
  return `Left: ${parts.join(', ')}.${advice(turnsLeft)}`
}

/** The platform's formatter would cost more than the rest of a call. */
const grouped = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')

function advice(turnsLeft: number): string {
  if (turnsLeft <= 1) {
    return ' This is your last turn and tools are off: say what you did, what you found and what is left.'
  }
  return turnsLeft <= fewTurns ? ' Few turns are left: bring your work to an end.' : ''
}
