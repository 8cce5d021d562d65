/**
 * The budget movements of a run, event by event: the same arithmetic as the fold of its state, as ledger
 * entries. All except reservations add up to what the state has as spent.
 */

import {
  type Amount,
  defined,
  isZero,
  type RecordedEvent,
  type RunEvent,
  type StepFinished,
  type StepId,
  type StepStarted,
  zero,
} from '../../loop/index.ts'
import type { LedgerEntry } from '../../protocol/api/index.ts'

export interface Spending {
  /** Returns the movements of this event. */
  add(recorded: RecordedEvent): readonly LedgerEntry[]
  /** Whether a reservation of this step is still open. */
  holds(step: StepId): boolean
}

interface OpenReservation {
  readonly iteration: number
  readonly step: StepId
  readonly role?: string
  readonly amount: Amount
}

/** The events with movements. */
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

/** Must start where nothing is reserved: at the start of a run or of an iteration. */
export function createSpending(): Spending {
  const open = new Map<string, OpenReservation>()

  function chargeAll(): readonly Movement[] {
    const charged = [...open].map(([id, { amount, ...where }]) => ({
      type: 'charged' as const,
      id,
      amount,
      ...where,
    }))
    open.clear()
    return charged
  }

  function settle(id: string, spent: Amount | undefined, where: Where): readonly Movement[] {
    const before = open.get(id)
    open.delete(id)
    if (before === undefined && spent === undefined) return []
    const type = before === undefined ? 'spent' : 'settled'
    const role = before === undefined ? where.role : before.role
    return [{ type, id, amount: spent ?? zero, ...where, ...defined({ role }) }]
  }

  function reserve(id: string, amount: Amount, where: Where): readonly Movement[] {
    open.set(id, { ...where, amount })
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
          : reserve(event.step, event.reserved, toLocation(event, agentRoleOf(event)))
      case 'step-finished':
        return settle(event.step, event.spent, toLocation(event, agentRoleOf(event)))
      case 'step-failed':
      case 'step-interrupted':
        return settle(event.step, event.spent, toLocation(event, event.role))
      case 'budget-reserved':
        return reserve(event.id, event.worst, toLocation(event, event.role))
      case 'budget-settled': {
        const before = open.get(event.id)
        // A missing reservation was already charged.
        return before === undefined
          ? []
          : settle(event.id, event.spent, toLocation(before, before.role))
      }
      default:
        return []
    }
  }

  return {
    add: ({ seq, atMs, event }) => movements(event).map((movement) => ({ seq, atMs, ...movement })),
    holds: (step) => [...open.values()].some((one) => one.step === step),
  }
}

type Movement = Omit<LedgerEntry, 'seq' | 'atMs'>
type Where = Omit<OpenReservation, 'amount'>

const toLocation = (
  { iteration, step }: Pick<Where, 'iteration' | 'step'>,
  role: string | undefined,
): Where => ({ iteration, step, ...defined({ role }) })

const agentRoleOf = ({ kind, role }: StepStarted | StepFinished): string | undefined =>
  kind === 'agent' ? role : undefined
