/**
 * What one attempt of a step may spend and did spend.
 *
 * E4. The worst case of a call is durably reserved before the call is made.
 */

import {
  type Amount,
  add,
  defined,
  FaultError,
  findOverrun,
  findReachedAgentLimit,
  isAmount,
  LoopError,
  type Overrun,
  type Reservation,
  type ReservationId,
  type RunState,
  type StepId,
  zero,
} from '../loop/index.ts'
import type { Recorder } from './recorder.ts'

export interface Meter {
  /** The role of the agent that the step calls. */
  readonly role: string | undefined
  /** What the attempt is charged besides settled reservations: what it reported, otherwise its worst case. */
  spent(): Amount | undefined
  spend(amount: Amount): void
  reserve(worst: Amount): Promise<Reservation>
  /** Reserves for an agent that works inside a step of another kind, such as a judge. */
  reserveFor(role: string): (worst: Amount) => Promise<Reservation>
}

export interface MeteredAttempt {
  readonly iteration: number
  readonly step: StepId
  readonly attempt: number
  readonly role: string | undefined
  readonly reserved: Amount | undefined
}

export function createMeter(recorder: Recorder, metered: MeteredAttempt): Meter {
  const { iteration, step, attempt, role, reserved } = metered
  let spent: Amount | undefined
  let reservations = 0

  async function reserve(worst: Amount, by: string | undefined): Promise<Reservation> {
    requireAmount(worst)
    refuseOverrun(recorder.state, worst, by)
    const id = `${iteration}/${step}/${attempt}/${++reservations}` as ReservationId
    const agent = defined({ role: by })
    await recorder.record([{ type: 'budget-reserved', id, iteration, step, ...agent, worst }])
    return {
      async settle(amount) {
        requireAmount(amount)
        // Need not be durable: if a crash loses it, the worst case is charged.
        recorder.note([{ type: 'budget-settled', id, spent: amount }])
      },
    }
  }

  return {
    role,
    spent: () => spent ?? reserved,
    spend(amount) {
      requireAmount(amount)
      spent = add(spent ?? zero, amount)
    },
    reserve: (worst) => reserve(worst, role),
    reserveFor: (other) => (worst) => reserve(worst, other),
  }
}

/** Throws the fault that ends a run or an iteration because of its budget. */
export function refuseOverrun(state: RunState, worst: Amount, role: string | undefined): void {
  const overrun = findOverrun(state, worst, role)
  if (overrun === undefined) return
  const message =
    `${describeLimit(overrun, role)} would be exceeded: a worst case of ${worst.tokens} tokens and ` +
    `${worst.costMicros} micro-dollars does not fit on top of what is spent and reserved.`
  throw budgetFault(overrun, role, message)
}

/** Throws the fault that ends a run because an agent may not be called again. */
export function refuseCall(state: RunState, role: string): void {
  const reached = findReachedAgentLimit(state, role)
  if (reached === undefined) return
  throw budgetFault(reached, role, `${describeLimit(reached, role)} is reached.`)
}

function describeLimit({ of, limit }: Overrun, role: string | undefined): string {
  switch (of) {
    case 'run':
      return `The ${limit} limit`
    case 'agent':
      return `The ${limit} limit of the agent "${role}"`
    case 'iteration':
      return `The ${limit} limit of one iteration`
  }
}

/** A limit of an iteration ends only the iteration; the next one starts. */
function budgetFault(
  { of, limit }: Overrun,
  role: string | undefined,
  message: string,
): FaultError {
  if (of === 'iteration') {
    return new FaultError({ code: 'iteration-limit', message, retryable: false })
  }
  const agent = of === 'agent' ? defined({ agent: role }) : {}
  return new FaultError({ code: 'budget', message, retryable: false, limit, ...agent })
}

export function requireAmount(amount: Amount): void {
  if (isAmount(amount)) return
  const message = `An amount must consist of non-negative whole numbers: ${JSON.stringify(amount)}`
  throw new LoopError('bad-request', message)
}
