import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Amount, add, type Limits, outputTokensOf, zero } from '../budget.ts'
import type { LimitWarned, RunEvent } from '../event.ts'
import { evolve } from '../evolve.ts'
import type { ReservationId, StepId } from '../ids.ts'
import { initialState, type RunState } from '../state.ts'
import { dueWarnings, warningKey } from './limit-warning.ts'
import { committed, committedBy, findOverrun } from './spending.ts'

const roles = ['maker', 'checker', '__proto__', undefined] as const
type Role = (typeof roles)[number]

const step = 'step#1' as StepId
const idOf = (id: number): ReservationId => `r${id}` as ReservationId

const amounts = fc
  .record({ tokens: fc.nat(30), costMicros: fc.nat(30), outputTokens: fc.nat(30) })
  .map(({ tokens, costMicros, outputTokens }): Amount => {
    return { tokens, costMicros, outputTokens: Math.min(tokens, outputTokens) }
  })

const moves = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('reserve'), amount: amounts }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('settle'), amount: amounts }) },
    fc.record({ type: fc.constant('crash'), amount: amounts }),
    fc.record({ type: fc.constant('iterate'), amount: amounts }),
    fc.record({ type: fc.constant('raise'), amount: amounts }),
  ),
  { maxLength: 60 },
)

const limits: Limits = {
  ...initialState.limits,
  iterations: 10,
  tokens: 200,
  costMicros: 150,
  outputTokens: 120,
  agents: { maker: { tokens: 90 }, checker: { outputTokens: 40 } },
}

/** Folds one event, and the warnings that it makes due, as the recorder does. */
function record(before: RunState, event: RunEvent, warned: LimitWarned[]): RunState {
  let state = evolve(before, { seq: before.seq + 1, atMs: before.atMs + 1, event })
  for (const warning of dueWarnings(before, state)) {
    warned.push(warning)
    state = evolve(state, { seq: state.seq + 1, atMs: state.atMs, event: warning })
  }
  return state
}

interface Story {
  readonly state: RunState
  readonly warned: readonly LimitWarned[]
  /** What was charged, by an independent account. */
  readonly charged: ReadonlyMap<Role, Amount>
}

interface Move {
  readonly type: string
  readonly amount: Amount
}

function play(all: readonly Move[], check?: (state: RunState, fits: boolean) => void): Story {
  const warned: LimitWarned[] = []
  const charged = new Map<Role, Amount>()
  const open = new Map<number, { role: Role; worst: Amount }>()
  const charge = (role: Role, amount: Amount): void =>
    void charged.set(role, add(charged.get(role) ?? zero, amount))
  let state: RunState = { ...initialState, limits, status: 'running' }
  for (const [index, { type, amount }] of all.entries()) {
    const role = roles[index % roles.length]
    const [oldest] = open
    switch (type) {
      case 'reserve': {
        const overrun = findOverrun(state, amount, role)
        check?.(state, overrun === undefined)
        if (overrun !== undefined) break
        open.set(index, { role, worst: amount })
        const by = role === undefined ? {} : { role }
        const id = idOf(index)
        const event = { type: 'budget-reserved', id, iteration: 1, step, ...by, worst: amount }
        state = record(state, event as RunEvent, warned)
        break
      }
      case 'settle': {
        if (oldest === undefined) break
        const [id, held] = oldest
        const spent = {
          tokens: Math.min(amount.tokens, held.worst.tokens),
          costMicros: Math.min(amount.costMicros, held.worst.costMicros),
          outputTokens: Math.min(outputTokensOf(amount), outputTokensOf(held.worst), amount.tokens),
        }
        open.delete(id)
        charge(held.role, spent)
        state = record(state, { type: 'budget-settled', id: idOf(id), spent }, warned)
        break
      }
      case 'crash': {
        for (const { role: by, worst } of open.values()) charge(by, worst)
        open.clear()
        state = record(state, { type: 'run-started', owner: 'me', fence: index }, warned)
        break
      }
      case 'iterate': {
        for (const { role: by, worst } of open.values()) charge(by, worst)
        open.clear()
        const iteration = state.iteration + 1
        state = record(state, { type: 'iteration-started', iteration }, warned)
        const ended = { type: 'iteration-ended', iteration, ending: { type: 'continue' } } as const
        state = record(state, ended, warned)
        break
      }
      default: {
        const tokens = state.limits.tokens + amount.tokens
        const decision = { type: 'change-limits', limits: { tokens } } as const
        state = record(state, { type: 'decision-applied', id: index, by: 'a', decision }, warned)
      }
    }
  }
  return { state, warned, charged }
}

describe('whatever a run reserves, settles and loses in crashes', () => {
  test('each agent is charged what it spent, and the parts add up to what the run spent', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const { state, charged } = play(all)
        expect([...charged.values()].reduce(add, zero)).toEqual(state.spent)
        for (const role of roles) {
          if (role === undefined) continue
          const spent = Object.hasOwn(state.spentByRole, role) ? state.spentByRole[role] : undefined
          const own = charged.get(role) ?? zero
          expect(add(spent ?? zero, { ...zero, outputTokens: 0 })).toEqual(
            add(own, { ...zero, outputTokens: 0 }),
          )
        }
      }),
    )
  })

  test('no limit is exceeded: not by the run, and not by an agent', () => {
    fc.assert(
      fc.property(moves, (all) => {
        play(all, (state) => {
          const used = committed(state)
          expect(used.tokens).toBeLessThanOrEqual(state.limits.tokens)
          expect(used.costMicros).toBeLessThanOrEqual(limits.costMicros)
          expect(outputTokensOf(used)).toBeLessThanOrEqual(120)
          expect(committedBy(state, 'maker').tokens).toBeLessThanOrEqual(90)
          expect(outputTokensOf(committedBy(state, 'checker'))).toBeLessThanOrEqual(40)
        })
      }),
    )
  })

  test('a warning comes at most once for each value of a limit, from the threshold on', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const { state, warned } = play(all)
        const keys = warned.map(warningKey)
        expect(new Set(keys).size).toBe(keys.length)
        expect(state.warned).toEqual(keys)
        for (const { current, max, remaining, threshold } of warned) {
          expect(current).toBeGreaterThanOrEqual(max * threshold)
          expect(current).toBeLessThan(max)
          expect(remaining).toBe(max - current)
        }
        // No false negatives: whatever is near its limit now was reported.
        expect(dueWarnings({ ...state, spent: zero, iteration: -1 }, state)).toEqual([])
      }),
    )
  })
})
