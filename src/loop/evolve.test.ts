import { describe, expect, test } from 'vitest'
import { committed, remaining } from './authority/spending.ts'
import type { Ending, RunEvent } from './event.ts'
import { evolve } from './evolve.ts'
import type { Fault } from './fault.ts'
import { type ReservationId, stepId, type TreeId } from './ids.ts'
import { initialState, type RunState } from './state.ts'

const treeOf = (text: string): TreeId => JSON.parse(JSON.stringify(text))
const reservationOf = (text: string): ReservationId => JSON.parse(JSON.stringify(text))

const created: RunEvent = {
  type: 'run-created',
  eventVersion: 1,
  loop: 'counter',
  codeDigest: 'digest',
  limits: initialState.limits,
}
const started: RunEvent = { type: 'run-started', owner: 'me', fence: 1 }
const suspended: RunEvent = { type: 'run-suspended', reason: 'shut down' }
const iteration = (number: number, tree?: string): RunEvent => ({
  type: 'iteration-started',
  iteration: number,
  ...(tree === undefined ? {} : { tree: treeOf(tree) }),
})
const again: RunEvent = { type: 'iteration-started', iteration: 1, again: true }
const ended = (number: number, ending: Ending = { type: 'continue' }): RunEvent => ({
  type: 'iteration-ended',
  iteration: number,
  ending,
})
const progressed = (number: number, value: number): RunEvent => ({
  type: 'iteration-ended',
  iteration: number,
  ending: { type: 'continue' },
  progress: { set: value },
})
const failed = (number: number, message: string): RunEvent => {
  const fault: Fault = { code: 'step-failed', message, retryable: false }
  return ended(number, { type: 'error', fault, recoverable: true })
}

const step = stepId('', 'work', 1)
const nap = stepId('', 'sleep:nap', 1)
const about = { iteration: 1, step, attempt: 1 }
const start = (fields: object = {}): RunEvent => ({ type: 'step-started', ...about, ...fields })
const finish = (fields: object = {}): RunEvent => ({ type: 'step-finished', ...about, ...fields })
const sleeping = start({ step: nap, wakeAtMs: 99 })
const woke = finish({ step: nap })
const rateLimit: Ending = { type: 'rate-limited', retryAtMs: 5, message: 'not now' }

/** The state after events, each with its time; without a time, one after the other. */
function fold(...events: (RunEvent | [number, RunEvent])[]): RunState {
  let state: RunState = initialState
  let atMs = 0
  for (const [index, one] of [created, ...events].entries()) {
    const [at, event] = Array.isArray(one) ? one : [atMs + 1, one]
    atMs = at
    state = evolve(state, { seq: index + 1, atMs, event })
  }
  return state
}

describe('the active time of a run', () => {
  test('is the time between its events', () => {
    expect(fold([10, started], [15, iteration(1)], [40, ended(1)]).activeMs).toBe(30)
  })

  test('excludes the time in which it was suspended', () => {
    expect(fold([10, started], [20, suspended], [9000, started], [9001, suspended]).activeMs).toBe(
      11,
    )
  })

  test('excludes the time between a crash and the next start', () => {
    expect(fold([10, started], [15, iteration(1)], [9000, started], [9002, again]).activeMs).toBe(7)
  })

  test('excludes the time between a crash and a rewind', () => {
    const back: RunEvent = { type: 'run-rewound', toIteration: 0 }
    expect(fold([10, started], [15, iteration(1)], [9000, back]).activeMs).toBe(5)
  })

  test('excludes sleep, questions and rate limits of providers', () => {
    const slept = fold(
      [10, started],
      [10, iteration(1)],
      [12, sleeping],
      [500, woke],
      [503, finish()],
    )
    expect(slept.activeMs).toBe(5)
    const limited = fold([10, started], [10, iteration(1)], [11, ended(1, rateLimit)], [800, again])
    expect(limited.activeMs).toBe(1)
  })

  test('never shrinks when the clock is set back', () => {
    expect(fold([10, started], [20, iteration(1)], [5, finish()]).activeMs).toBe(10)
  })
})

describe('E2: what an unfinished call might have cost is charged', () => {
  const worst = { tokens: 100, costMicros: 10 }
  const reserved: RunEvent = {
    type: 'budget-reserved',
    id: reservationOf('1/work#1/1/1'),
    iteration: 1,
    step,
    worst: { tokens: 7, costMicros: 1 },
  }
  const settled: RunEvent = {
    type: 'budget-settled',
    id: reservationOf('1/work#1/1/1'),
    spent: { tokens: 2, costMicros: 0 },
  }
  const begun = [started, iteration(1), start({ reserved: worst })]

  test('it is reserved, not spent, while the call is in progress', () => {
    const state = fold(...begun, reserved)
    expect(state.spent).toEqual({ tokens: 0, costMicros: 0 })
    expect(committed(state)).toEqual({ tokens: 107, costMicros: 11 })
    expect(remaining(state).tokens).toBe(state.limits.tokens - 107)
  })

  test.each<[string, RunEvent]>([
    ['started again after a crash', started],
    ['suspended', suspended],
    ['ended', { type: 'run-ended', outcome: { type: 'cancelled', by: 'ada', reason: '' } }],
    ['rewound', { type: 'run-rewound', toIteration: 0 }],
    ['done with its iteration', ended(1, { type: 'interrupted', reason: '' })],
    ['forced to restart its iteration', { type: 'iteration-restarted', iteration: 1, reason: '' }],
  ])('when the run is %s', (_name, event) => {
    const state = fold(...begun, reserved, event)
    expect(state.spent).toEqual({ tokens: 107, costMicros: 11 })
    expect(state.reserved).toEqual({})
  })

  test('a settled call is charged its real cost', () => {
    const state = fold(
      ...begun,
      reserved,
      settled,
      finish({ spent: { tokens: 50, costMicros: 5 } }),
    )
    expect(state.spent).toEqual({ tokens: 52, costMicros: 5 })
    expect(state.reserved).toEqual({})
  })

  test('a call that was settled or charged is not charged again', () => {
    expect(fold(...begun, reserved, settled, settled, finish()).spent.tokens).toBe(2)
    expect(fold(...begun, reserved, started, settled).spent.tokens).toBe(107)
  })

  test.each(['step-finished', 'step-failed', 'step-interrupted'] as const)(
    'a %s says what was spent',
    (type) => {
      const fault: Fault = { code: 'x', message: '', retryable: false }
      const event = { type, ...about, fault, spent: { tokens: 3, costMicros: 2 } }
      const state = fold(...begun, event)
      expect(state.spent).toEqual({ tokens: 3, costMicros: 2 })
      expect(state.reserved).toEqual({})
    },
  )
})

describe('iterations in which nothing changed', () => {
  test('are counted in a row, until progress changes', () => {
    const counts = [ended(1), ended(2), progressed(3, 1), ended(4)].map(
      (_, index, all) => fold(started, ...all.slice(0, index + 1)).unchanged,
    )
    expect(counts).toEqual([1, 2, 0, 1])
  })

  test('include those in which the files did not change', () => {
    const changed = finish({ tree: treeOf('b') })
    expect(fold(started, iteration(1, 'a'), changed, ended(1)).unchanged).toBe(0)
    expect(fold(started, iteration(1, 'b'), changed, ended(1)).unchanged).toBe(1)
  })

  test('exclude those that do not count', () => {
    expect(fold(started, iteration(1), ended(1, rateLimit)).unchanged).toBe(0)
  })
})

describe('E12: errors in a row', () => {
  test('are counted while they are the same', () => {
    const state = fold(started, failed(1, 'no 1'), failed(2, 'no 2'), failed(3, 'no 33'))
    expect(state.errors).toEqual({ signature: 'step-failed: no <n>', times: 3 })
    expect(state.metrics.iterationErrors).toBe(3)
  })

  test('are counted from one again after a different error', () => {
    expect(fold(started, failed(1, 'a'), failed(2, 'b')).errors.times).toBe(1)
  })

  test('are reset by an iteration without an error, but not by one that does not count', () => {
    expect(fold(started, failed(1, 'a'), ended(2)).errors.times).toBe(0)
    const interrupted = ended(2, { type: 'interrupted', reason: '' })
    expect(fold(started, failed(1, 'a'), interrupted).errors.times).toBe(1)
  })
})

describe('iterations', () => {
  test('count when they end', () => {
    const state = fold(started, iteration(1), ended(1), iteration(2))
    expect(state.iteration).toBe(1)
    expect(state.open?.iteration).toBe(2)
  })

  test.each<[string, Ending]>([
    ['rate limited', rateLimit],
    ['interrupted', { type: 'interrupted', reason: '' }],
  ])('stay open when they were %s, with the point where their steps begin', (_name, ending) => {
    const state = fold(started, iteration(1), ended(1, ending), again)
    expect(state.iteration).toBe(0)
    expect(state.open?.fromSeq).toBe(3)
  })

  test('that restart begin at the restart, on the files they began with', () => {
    const anew: RunEvent = { type: 'iteration-restarted', iteration: 1, reason: 'code' }
    const met = { check: 'test', status: 'met', iteration: 1, tree: treeOf('b') }
    const checked = finish({ tree: treeOf('b'), evidence: met })
    const state = fold(started, iteration(1, 'a'), start(), checked, anew)
    expect(state.open?.fromSeq).toBe(6)
    expect(state.tree).toBe('a')
  })
})

test('a rewind restores progress and files, voids evidence and keeps what was spent', () => {
  const state = fold(
    started,
    progressed(1, 10),
    iteration(2, 'b'),
    finish({
      spent: { tokens: 5, costMicros: 0 },
      evidence: { check: 'c', status: 'met', iteration: 2 },
    }),
    progressed(2, 20),
    { type: 'run-rewound', toIteration: 1, progress: 10, tree: treeOf('a') },
  )
  expect(state).toMatchObject({ iteration: 1, progress: 10, tree: 'a', evidence: {} })
  expect(state.spent.tokens).toBe(5)
  expect(state.open).toBeUndefined()
})

test('metrics count what happened', () => {
  const fault: Fault = { code: 'x', message: '', retryable: true }
  const state = fold(
    [10, started],
    [10, iteration(1)],
    [11, { type: 'step-failed', ...about, fault, retryAtMs: 5 }],
    [12, { type: 'step-failed', ...about, fault }],
    [13, finish()],
    [14, finish({ step: stepId('0.left/', 'tool:grep', 2) })],
    [20, ended(1, rateLimit)],
    [30, again],
    [31, ended(1, { type: 'interrupted', reason: '' })],
    [40, again],
    [50, ended(1)],
  )
  expect(state.metrics).toEqual({
    steps: 2,
    stepsFailed: 1,
    retries: 1,
    interruptions: 1,
    rateLimits: 1,
    iterationErrors: 0,
    iterationMs: 40,
    byKind: { step: 1, tool: 1 },
    tools: {},
  })
})
