/**
 * What one attempt of a step may spend and did spend.
 *
 * E4. The worst case of a call is durably reserved before the call is made.
 */

import {
  type Amount,
  add,
  committed,
  FaultError,
  findExceededLimit,
  isAmount,
  LoopError,
  type Reservation,
  type ReservationId,
  type RunState,
  type StepId,
  zero,
} from '../loop/index.ts'
import type { Recorder } from './recorder.ts'

export interface Meter {
  /** What the attempt is charged besides settled reservations: what it reported, otherwise its worst case. */
  spent(): Amount | undefined
  spend(amount: Amount): void
  reserve(worst: Amount): Promise<Reservation>
}

export function createMeter(
  recorder: Recorder,
  iteration: number,
  step: StepId,
  attempt: number,
  reserved: Amount | undefined,
): Meter {
  let spent: Amount | undefined
  let reservations = 0
  return {
    spent: () => spent ?? reserved,
    spend(amount) {
      requireAmount(amount)
      spent = add(spent ?? zero, amount)
    },
    async reserve(worst) {
      requireAmount(worst)
      refuseOverrun(recorder.state, worst)
      const id = `${iteration}/${step}/${attempt}/${++reservations}` as ReservationId
      await recorder.record([{ type: 'budget-reserved', id, iteration, step, worst }])
      return {
        async settle(amount) {
          requireAmount(amount)
          // Need not be durable: if a crash loses it, the worst case is charged.
          recorder.note([{ type: 'budget-settled', id, spent: amount }])
        },
      }
    },
  }
}

/** Throws the fault that ends a run because of its budget. */
export function refuseOverrun(state: RunState, worst: Amount): void {
  const limit = findExceededLimit(state.limits, committed(state), worst)
  if (limit === undefined) return
  const message =
    `The ${limit} limit would be exceeded: a worst case of ${worst.tokens} tokens and ` +
    `${worst.costMicros} micro-dollars does not fit on top of what is spent and reserved.`
  throw new FaultError({ code: 'budget', message, retryable: false, limit })
}

export function requireAmount(amount: Amount): void {
  if (isAmount(amount)) return
  const message = `An amount must consist of non-negative whole numbers: ${JSON.stringify(amount)}`
  throw new LoopError('bad-request', message)
}
