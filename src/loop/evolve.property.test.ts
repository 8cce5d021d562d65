// Any sequence of events that the engine could write, including a crash anywhere, causes only
// transitions that the table of statuses allows. A small model of the engine chooses the events.

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { committed } from './authority/spending.ts'
import type { Decision } from './decision.ts'
import type { Ending, RunEvent } from './event.ts'
import { evolve } from './evolve.ts'
import type { Fault } from './fault.ts'
import { type ReservationId, stepId } from './ids.ts'
import type { Outcome } from './outcome.ts'
import { initialState, type RunState } from './state.ts'
import { isEnd, transitions } from './status.ts'
import { readState } from './stored-state.ts'

const fault: Fault = { code: 'x', message: 'no', retryable: true }
const by = { by: 'ada', reason: '' }
const plain = stepId('', 'work', 1)
const nap = stepId('', 'sleep:nap', 1)

const outcomes: readonly Outcome[] = [
  { type: 'completed', condition: 'c' },
  { type: 'exhausted', limit: 'time', condition: 'c' },
  { type: 'stuck', condition: 'c', detail: '' },
  { type: 'stopped', ...by },
  { type: 'cancelled', ...by },
  { type: 'failed', fault },
]
const endings: readonly Ending[] = [
  { type: 'continue' },
  { type: 'complete', met: { condition: 'c', ends: 'completed' } },
  { type: 'rate-limited', retryAtMs: 1, message: '' },
  { type: 'interrupted', reason: '' },
  { type: 'error', fault, recoverable: true },
]
const decisions: readonly Decision[] = [
  { type: 'pause' },
  { type: 'resume' },
  { type: 'stop', reason: '' },
  { type: 'cancel', reason: '' },
]
const reservation: ReservationId = JSON.parse('"1/work#1/1/1"')
const decided = decisions.map(
  (decision): RunEvent => ({ type: 'decision-applied', id: 1, by: 'ada', decision }),
)
const ends = (some: readonly Outcome[]): RunEvent[] =>
  some.map((outcome) => ({ type: 'run-ended', outcome }))

/** What may be written next. Undriven: no process drives the run after its creation, a stop or a crash. */
function possible(state: RunState, driven: boolean, entered: boolean): readonly RunEvent[] {
  if (isEnd(state.status)) return []
  const { open } = state
  if (!driven) {
    const asked = outcomes.filter(
      ({ type }) =>
        (type === 'cancelled' && state.cancel !== undefined) ||
        (type === 'stopped' && state.stop !== undefined && open === undefined),
    )
    return [
      { type: 'run-started', owner: 'me', fence: 1 },
      { type: 'run-rewound', toIteration: 0 },
      ...decided,
      ...ends(asked),
    ]
  }
  const others: RunEvent[] = [...decided, { type: 'warning', code: 'w', message: '' }]
  if (open !== undefined && entered) return [...inIteration(open.iteration), ...others]
  const between: RunEvent[] = [
    { type: 'run-suspended', reason: '' },
    ...ends(outcomes),
    open === undefined
      ? { type: 'iteration-started', iteration: state.iteration + 1 }
      : { type: 'iteration-started', iteration: open.iteration, again: true },
  ]
  return [...between, ...others]
}

function inIteration(iteration: number): RunEvent[] {
  const work = { iteration, step: plain, attempt: 1 }
  const worst = { tokens: 10, costMicros: 1 }
  return [
    { type: 'step-started', ...work, reserved: worst },
    { type: 'step-started', ...work, step: nap, wakeAtMs: 9 },
    { type: 'step-finished', ...work },
    { type: 'step-finished', ...work, step: nap },
    { type: 'step-failed', ...work, fault, spent: worst },
    { type: 'step-interrupted', ...work },
    { type: 'budget-reserved', id: reservation, iteration, step: plain, worst },
    { type: 'budget-settled', id: reservation, spent: worst },
    ...endings.map((ending): RunEvent => ({ type: 'iteration-ended', iteration, ending })),
  ]
}

/** All states of a history that is chosen by numbers; about every ninth number is a crash. */
function* histories(choices: readonly number[]): Generator<[RunState, RunState, RunEvent]> {
  const { limits } = initialState
  const event: RunEvent = {
    type: 'run-created',
    eventVersion: 1,
    loop: 'l',
    codeDigest: 'd',
    limits,
  }
  let state = evolve(initialState, { seq: 1, atMs: 1, event })
  let driven = false
  let entered = false
  for (const choice of choices) {
    if (choice % 9 === 8) {
      driven = false
      entered = false
      continue
    }
    const events = possible(state, driven, entered)
    const chosen = events[choice % events.length]
    if (chosen === undefined) return
    const next = evolve(state, {
      seq: state.seq + 1,
      atMs: state.atMs + (choice % 5),
      event: chosen,
    })
    yield [state, next, chosen]
    state = next
    if (chosen.type === 'run-started') driven = true
    if (chosen.type === 'run-suspended') driven = false
    if (chosen.type === 'iteration-started') entered = true
    if (chosen.type === 'iteration-ended') entered = false
  }
}

const choices = fc.array(fc.nat(10_000), { maxLength: 80 })

describe('over every history that the engine can write', () => {
  test('each change of status is in the table', () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        for (const [before, after, event] of histories(chosen)) {
          if (after.status === before.status) continue
          const move = { event: event.type, from: before.status, to: after.status }
          expect({ ...move, allowed: transitions[before.status].includes(after.status) }).toEqual({
            ...move,
            allowed: true,
          })
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('a run has an outcome exactly if its status is final, and both agree', () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        for (const [, after] of histories(chosen)) {
          expect(after.outcome?.type).toBe(isEnd(after.status) ? after.status : undefined)
        }
      }),
    )
  })

  test('a state has only the members of its phase, also after it was stored and read', () => {
    const names = Object.keys(initialState).toSorted()
    fc.assert(
      fc.property(choices, (chosen) => {
        for (const [, after] of histories(chosen)) {
          expect(Object.keys(after).toSorted()).toEqual(names)
          expect(readState(JSON.parse(JSON.stringify(after)))).toEqual(after)
        }
      }),
    )
  })

  test('spending and active time only grow, and no reservation is lost', () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        for (const [before, after, event] of histories(chosen)) {
          expect(after.seq).toBe(before.seq + 1)
          expect(after.activeMs).toBeGreaterThanOrEqual(before.activeMs)
          expect(after.spent.tokens).toBeGreaterThanOrEqual(before.spent.tokens)
          const settles = /^(step-(finished|failed|interrupted)|budget-settled)$/.test(event.type)
          if (settles) continue
          expect(committed(after).tokens).toBeGreaterThanOrEqual(committed(before).tokens)
        }
      }),
    )
  })
})
