/**
 * What moves on the scale of a run, event by event: the same arithmetic as the fold of its state, told as
 * entries. All but the reserved add up to what the state says was spent.
 */

import {
  type Amount,
  isZero,
  type RecordedEvent,
  type RunEvent,
  type StepId,
  zero,
} from '../../loop/index.ts'
import type { LedgerEntry } from '../../protocol/api/index.ts'

export interface Spending {
  /** What moved with this event. */
  add(recorded: RecordedEvent): readonly LedgerEntry[]
  /** Whether a worst case of this step is still on the scale. */
  holds(step: StepId): boolean
}

interface Held {
  readonly iteration: number
  readonly step: StepId
  readonly amount: Amount
}

/** The events that move something. */
export const spendingTypes = [
  'run-created',
  'run-started',
  'run-suspended',
  'run-ended',
  'run-rewound',
  'iteration-ended',
  'iteration-restarted',
  'step-started',
  'step-finished',
  'step-failed',
  'step-interrupted',
  'budget-reserved',
  'budget-settled',
] as const

/** To be begun where nothing is reserved: at the beginning of a run, or of an iteration. */
export function createSpending(): Spending {
  const held = new Map<string, Held>()

  function chargeAll(): readonly Movement[] {
    const charged = [...held].map(([id, { amount, ...where }]) => ({
      type: 'charged' as const,
      id,
      amount,
      ...where,
    }))
    held.clear()
    return charged
  }

  function settle(id: string, spent: Amount | undefined, where: Where): readonly Movement[] {
    const before = held.get(id)
    held.delete(id)
    if (before === undefined && spent === undefined) return []
    const type = before === undefined ? 'spent' : 'settled'
    return [{ type, id, amount: spent ?? zero, ...where }]
  }

  function reserve(id: string, amount: Amount, where: Where): readonly Movement[] {
    held.set(id, { ...where, amount })
    return [{ type: 'reserved', id, amount, ...where }]
  }

  function movements(event: RunEvent): readonly Movement[] {
    switch (event.type) {
      case 'run-created': {
        const spent = event.carried?.spent
        if (spent === undefined || isZero(spent)) return []
        return [{ type: 'carried', amount: spent }]
      }
      case 'run-started':
      case 'run-suspended':
      case 'run-ended':
      case 'run-rewound':
      case 'iteration-ended':
      case 'iteration-restarted':
        return chargeAll()
      case 'step-started':
        return event.reserved === undefined
          ? []
          : reserve(event.step, event.reserved, whereOf(event))
      case 'step-finished':
      case 'step-failed':
      case 'step-interrupted':
        return settle(event.step, event.spent, whereOf(event))
      case 'budget-reserved':
        return reserve(event.id, event.worst, whereOf(event))
      case 'budget-settled': {
        const before = held.get(event.id)
        // One that is not there any more was charged before.
        return before === undefined ? [] : settle(event.id, event.spent, whereOf(before))
      }
      default:
        return []
    }
  }

  return {
    add: ({ seq, atMs, event }) => movements(event).map((movement) => ({ seq, atMs, ...movement })),
    holds: (step) => [...held.values()].some((one) => one.step === step),
  }
}

type Movement = Omit<LedgerEntry, 'seq' | 'atMs'>
type Where = Pick<Held, 'iteration' | 'step'>

const whereOf = ({ iteration, step }: Where): Where => ({ iteration, step })
