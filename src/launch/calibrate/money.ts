/** The budget of judges outside a run, where nothing is journaled. */

import {
  type Amount,
  add,
  FaultError,
  type Reservation,
  type StepContext,
  zero,
} from '../../loop/index.ts'

export interface JudgeBudget extends Pick<StepContext, 'spend' | 'reserve'> {
  spentMicros(): number
  remainingMicros(): number
  /** A reservation was refused, or everything is spent. */
  isOver(): boolean
}

export function createJudgeBudget(limitMicros: number): JudgeBudget {
  let spent: Amount = zero
  let reserved = 0
  let isRefused = false
  return {
    spend(amount) {
      spent = add(spent, amount)
    },
    async reserve(worst): Promise<Reservation> {
      if (spent.costMicros + reserved + worst.costMicros > limitMicros) {
        isRefused = true
        const message = 'The budget for judges is spent.'
        throw new FaultError({ code: 'budget', message, retryable: false, limit: 'cost' })
      }
      reserved += worst.costMicros
      let isOpen = true
      return {
        async settle(amount) {
          if (!isOpen) return
          isOpen = false
          reserved -= worst.costMicros
          spent = add(spent, amount)
        },
      }
    },
    // An open reservation counts as spent.
    spentMicros: () => spent.costMicros + reserved,
    remainingMicros: () => Math.max(0, limitMicros - spent.costMicros - reserved),
    isOver: () => isRefused || spent.costMicros + reserved > limitMicros,
  }
}
