import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { committed, remaining } from './authority/spending.ts'
import { type Amount, add, findExceededLimit, isAmount, type Limits, zero } from './budget.ts'
import type { RunEvent } from './event.ts'
import { evolve } from './evolve.ts'
import { type ReservationId, stepId } from './ids.ts'
import { initialState, type RunState } from './state.ts'

const limits: Limits = { ...initialState.limits, tokens: 1000, costMicros: 500 }
const idOf = (number: number): ReservationId => JSON.parse(JSON.stringify(`1/work#1/1/${number}`))

/** One call: what it reserves, what it really costs, and after how many other calls it is settled. */
const call = fc.record({
  worst: fc.record({ tokens: fc.nat(400), costMicros: fc.nat(200) }),
  real: fc.record({ tokens: fc.nat(450), costMicros: fc.nat(220) }),
  settledAfter: fc.nat(5),
})

const step = stepId('', 'work', 1)

/** The state after a reservation or settlement. */
function evolved(state: RunState, event: RunEvent): RunState {
  return evolve(state, { seq: state.seq + 1, atMs: state.seq, event })
}

describe('E4: any interleaving of calls', () => {
  test('exceeds a limit at most by what the calls in flight cost beyond their reservations', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
        let state: RunState = { ...initialState, limits }
        let inFlight: { id: ReservationId; real: Amount; worst: Amount; left: number }[] = []
        let excess = 0
        for (const [index, { worst, real, settledAfter }] of calls.entries()) {
          for (const done of inFlight.filter(({ left }) => left === 0)) {
            state = evolved(state, { type: 'budget-settled', id: done.id, spent: done.real })
            excess += Math.max(0, done.real.tokens - done.worst.tokens)
          }
          inFlight = inFlight.flatMap((one) =>
            one.left === 0 ? [] : [{ ...one, left: one.left - 1 }],
          )
          expect(committed(state).tokens).toBeLessThanOrEqual(limits.tokens + excess)
          if (findExceededLimit(limits, committed(state), worst) !== undefined) continue
          const id = idOf(index)
          state = evolved(state, { type: 'budget-reserved', id, iteration: 1, step, worst })
          inFlight.push({ id, worst, real, left: settledAfter })
          // A reservation fits, even if earlier calls exceeded theirs.
          expect(committed(state).tokens).toBeLessThanOrEqual(limits.tokens)
          excess = 0
        }
      }),
      { numRuns: 500 },
    )
  })

  test('exceeds a limit at most by one call if calls are made one at a time', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        let spent = zero
        let excess = 0
        for (const { worst, real } of calls) {
          if (findExceededLimit(limits, spent, worst)) continue
          spent = add(spent, real)
          excess = Math.max(excess, real.tokens - worst.tokens)
        }
        expect(spent.tokens).toBeLessThanOrEqual(limits.tokens + excess)
      }),
    )
  })
})

describe('a limit', () => {
  test.each<[string, Amount, Amount, string | undefined]>([
    [
      'fits to the last token',
      { tokens: 900, costMicros: 0 },
      { tokens: 100, costMicros: 0 },
      undefined,
    ],
    [
      'is exceeded by one more token',
      { tokens: 900, costMicros: 0 },
      { tokens: 101, costMicros: 0 },
      'tokens',
    ],
    ['is exceeded by money', zero, { tokens: 0, costMicros: 501 }, 'cost'],
    ['is not exceeded by nothing', { tokens: 1000, costMicros: 500 }, zero, undefined],
    ['that is already exceeded stays exceeded', { tokens: 1001, costMicros: 0 }, zero, 'tokens'],
  ])('%s', (_name, used, worst, expected) => {
    expect(findExceededLimit(limits, used, worst)).toBe(expected)
  })

  test('never leaves a negative remainder', () => {
    const state = {
      ...initialState,
      limits,
      spent: { tokens: 1500, costMicros: 20 },
      iteration: 60,
    }
    expect(remaining({ ...state, activeMs: 1000 })).toEqual({
      iterations: 0,
      tokens: 0,
      costMicros: 480,
      timeMs: limits.timeMs - 1000,
      committed: { tokens: 1500, costMicros: 20 },
      limits: { tokens: limits.tokens, costMicros: limits.costMicros },
    })
  })
})

describe('an amount', () => {
  test.each([
    [{ tokens: 0, costMicros: 0 }, true],
    [{ tokens: 1, costMicros: 2 }, true],
    [{ tokens: -1, costMicros: 0 }, false],
    [{ tokens: 0.5, costMicros: 0 }, false],
    [{ tokens: Number.NaN, costMicros: 0 }, false],
    [{ tokens: 0, costMicros: Number.POSITIVE_INFINITY }, false],
    [{ tokens: 2 ** 53, costMicros: 0 }, false],
  ])('%j is one: %s', (amount, expected) => {
    expect(isAmount(amount)).toBe(expected)
  })
})
