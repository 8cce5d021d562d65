/**
 * What a run has spent, counted a second time and in another way than the engine does.
 *
 * E4. A worst case is laid on the scale only where it fits beside everything else; beyond a limit
 *     goes at most what one call cost more than it had reserved.
 */

import { type Amount, add, type RunEvent, type RunState, zero } from '#src/loop/index.ts'

export interface LedgerModel {
  /** Takes the next event in; `after` is what the engine makes of it. Says what is wrong, if so. */
  add(event: RunEvent, after: RunState): string | undefined
}

export function createLedgerModel(): LedgerModel {
  const open = new Map<string, Amount>()
  let spent: Amount = zero

  function chargeAll(): void {
    for (const amount of open.values()) spent = add(spent, amount)
    open.clear()
  }

  function settle(id: string, amount: Amount | undefined): void {
    open.delete(id)
    spent = add(spent, amount ?? zero)
  }

  /** A reservation that does not fit is wrong; true when the event was one. */
  function reserve(id: string, amount: Amount | undefined): boolean {
    if (amount === undefined) return false
    open.set(id, amount)
    return true
  }

  function take(event: RunEvent): boolean {
    switch (event.type) {
      case 'run-started':
      case 'run-suspended':
      case 'run-ended':
      case 'iteration-ended':
      case 'iteration-restarted':
      case 'run-rewound':
        chargeAll()
        return false
      case 'step-started':
        return reserve(event.step, event.reserved)
      case 'budget-reserved':
        return reserve(event.id, event.worst)
      case 'budget-settled':
        settle(event.id, event.spent)
        return false
      case 'step-finished':
      case 'step-failed':
      case 'step-interrupted':
        settle(event.step, event.spent)
        return false
      default:
        return false
    }
  }

  return {
    add(event, after) {
      const reserved = take(event)
      const total = [...open.values()].reduce(add, spent)
      const { limits } = after
      if (reserved && (total.tokens > limits.tokens || total.costMicros > limits.costMicros)) {
        return `E4: a reservation does not fit: ${JSON.stringify({ total, limits, event })}`
      }
      if (!same(spent, after.spent) || !sameKeys(open, after.reserved)) {
        const model = { spent, open: [...open] }
        const engine = { spent: after.spent, reserved: after.reserved }
        return `E4: the ledger is ${JSON.stringify(engine)}, not ${JSON.stringify(model)}`
      }
      return undefined
    },
  }
}

const same = (a: Amount, b: Amount): boolean =>
  a.tokens === b.tokens && a.costMicros === b.costMicros

const sameKeys = (open: ReadonlyMap<string, Amount>, reserved: RunState['reserved']): boolean =>
  open.size === Object.keys(reserved).length && [...open.keys()].every((id) => id in reserved)
