import { describe, expect, test } from 'vitest'
import { type Condition, evaluate, type Facts, findMetCondition } from './condition.ts'
import { defined } from './defined.ts'
import type { Met } from './event.ts'
import type { Evidence } from './evidence.ts'
import type { TreeId } from './ids.ts'
import { initialState, type RunFacts } from './state.ts'

const treeOf = (text: string): TreeId => JSON.parse(JSON.stringify(text))

const facts = (state: Partial<RunFacts> = {}, others: Partial<Facts> = {}): Facts => ({
  state: { ...initialState, ...state },
  nowMs: 1000,
  checks: ['lint', 'test'],
  made: { progress: { score: 7 }, result: 'done' },
  ...others,
})

const met = (iteration = 1): Evidence => ({ status: 'met', iteration })
const bothMet = { lint: met(), test: met() }

type AnyCondition = Condition<never, never>

const yes: AnyCondition = { type: 'custom', name: 'yes', met: () => true }
const no: AnyCondition = { type: 'custom', name: 'no', met: () => false }
const twoIterations: AnyCondition = { type: 'max-iterations', iterations: 2 }

describe('a condition is met or not', () => {
  test.each<[string, AnyCondition, Facts, Met | undefined]>([
    [
      'max-iterations when reached',
      { type: 'max-iterations', iterations: 3 },
      facts({ iteration: 3 }),
      { condition: 'max-iterations', ends: 'exhausted', limit: 'iterations' },
    ],
    [
      'max-iterations before it is reached',
      { type: 'max-iterations', iterations: 3 },
      facts({ iteration: 2 }),
      undefined,
    ],
    [
      'no-progress after that many unchanged iterations',
      { type: 'no-progress', iterations: 2 },
      facts({ unchanged: 2 }),
      { condition: 'no-progress', ends: 'stuck', detail: 'nothing changed for 2 iterations' },
    ],
    [
      'no-progress one iteration earlier',
      { type: 'no-progress', iterations: 2 },
      facts({ unchanged: 1 }),
      undefined,
    ],
    [
      'same-error when reached',
      { type: 'same-error', times: 2 },
      facts({ errors: { signature: 'timeout: slow', times: 2 } }),
      { condition: 'same-error', ends: 'stuck', detail: '2 times: timeout: slow' },
    ],
    [
      'same-error before it is reached',
      { type: 'same-error', times: 2 },
      facts({ errors: { signature: 'timeout: slow', times: 1 } }),
      undefined,
    ],
    [
      'deadline when reached',
      { type: 'deadline', atMs: 1000 },
      facts(),
      { condition: 'deadline', ends: 'exhausted', limit: 'deadline' },
    ],
    ['deadline just before it is reached', { type: 'deadline', atMs: 1001 }, facts(), undefined],
    [
      'a budget of tokens',
      { type: 'budget', tokens: 10, costMicros: 99 },
      facts({ spent: { tokens: 10, costMicros: 0 } }),
      { condition: 'budget.tokens', ends: 'exhausted', limit: 'tokens' },
    ],
    [
      'a budget of money',
      { type: 'budget', costMicros: 5 },
      facts({ spent: { tokens: 0, costMicros: 6 } }),
      { condition: 'budget.cost', ends: 'exhausted', limit: 'cost' },
    ],
    [
      'a budget of time',
      { type: 'budget', timeMs: 50 },
      facts({ activeMs: 50 }),
      { condition: 'budget.time', ends: 'exhausted', limit: 'time' },
    ],
    [
      'an unused budget',
      { type: 'budget', tokens: 10, costMicros: 10, timeMs: 10 },
      facts({ spent: { tokens: 9, costMicros: 9 }, activeMs: 9 }),
      undefined,
    ],
    ['an empty budget', { type: 'budget' }, facts(), undefined],
    ['custom', yes, facts(), { condition: 'yes', ends: 'completed' }],
    ['custom that is not met', no, facts(), undefined],
    [
      'custom that ends the run as stuck',
      { type: 'custom', name: 'worse', met: () => true, ends: 'stuck' },
      facts(),
      { condition: 'worse', ends: 'stuck' },
    ],
    [
      'custom that stands for a limit',
      { type: 'custom', name: 'poor', met: () => true, ends: 'exhausted', limit: 'cost' },
      facts(),
      { condition: 'poor', ends: 'exhausted', limit: 'cost' },
    ],
    [
      'custom that means a limit and does not say which',
      { type: 'custom', name: 'enough', met: () => true, ends: 'exhausted' },
      facts(),
      { condition: 'enough', ends: 'exhausted', limit: 'iterations' },
    ],
  ])('%s', (_name, condition, about, expected) => {
    expect(evaluate(condition, about)).toEqual(expected)
  })

  test('custom is evaluated with the progress and result of the iteration', () => {
    const condition: Condition<{ score: number }, string> = {
      type: 'custom',
      name: 'good enough',
      met: (progress, result) => progress.score > 5 && result === 'done',
    }
    expect(evaluate(condition, facts())?.condition).toBe('good enough')
    const worse = { progress: { score: 5 }, result: 'done' }
    expect(evaluate(condition, facts({}, { made: worse }))).toBeUndefined()
  })

  test('custom is not evaluated after an iteration without a result', () => {
    expect(evaluate(yes, facts({}, { made: undefined }))).toBeUndefined()
  })
})

function passes(checks: readonly string[] | undefined, about: Facts): boolean {
  const named = defined({ checks })
  return evaluate({ type: 'checks-pass', ...named }, about) !== undefined
}

describe('E5: checks-pass', () => {
  test('means all checks of the run if it names none', () => {
    expect(passes(undefined, facts({ evidence: bothMet }))).toBe(true)
    expect(passes(undefined, facts({ evidence: { lint: met() } }))).toBe(false)
    expect(passes(['lint'], facts({ evidence: { lint: met() } }))).toBe(true)
  })

  test('never passes with an empty list of checks', () => {
    expect(passes([], facts({ evidence: bothMet }))).toBe(false)
    expect(passes(undefined, facts({ evidence: bothMet }, { checks: [] }))).toBe(false)
  })

  test.each(['not-met', 'error', 'timeout', 'skipped'] as const)(
    'does not pass on %s',
    (status) => {
      const evidence = { ...bothMet, test: { status, iteration: 1 } }
      expect(passes(undefined, facts({ evidence }))).toBe(false)
    },
  )

  test('passes only on the tree that the checks ran on', () => {
    const evidence = { lint: { ...met(), tree: treeOf('a') } }
    expect(passes(['lint'], facts({ evidence, tree: treeOf('a') }))).toBe(true)
    expect(passes(['lint'], facts({ evidence, tree: treeOf('b') }))).toBe(false)
    expect(passes(['lint'], facts({ evidence }))).toBe(false)
  })

  test('does not mistake an inherited property for a check', () => {
    expect(passes(['constructor'], facts({ evidence: bothMet }))).toBe(false)
  })
})

describe('conditions are combined', () => {
  const second = facts({ iteration: 2 })

  test.each<[string, AnyCondition, Met | undefined]>([
    ['any of none', { type: 'any', of: [] }, undefined],
    ['any with one met', { type: 'any', of: [no, yes] }, { condition: 'yes', ends: 'completed' }],
    ['any with none met', { type: 'any', of: [no, no] }, undefined],
    ['all of none is never met', { type: 'all', of: [] }, undefined],
    ['all with one missing', { type: 'all', of: [yes, no] }, undefined],
    [
      'all with a success is a success',
      { type: 'all', of: [twoIterations, yes] },
      { condition: 'all(max-iterations, yes)', ends: 'completed' },
    ],
    [
      'all without a success ends as its first part',
      { type: 'all', of: [twoIterations, { type: 'deadline', atMs: 0 }] },
      { condition: 'all(max-iterations, deadline)', ends: 'exhausted', limit: 'deadline' },
    ],
    [
      'one inside the other',
      {
        type: 'any',
        of: [
          { type: 'all', of: [yes, no] },
          { type: 'all', of: [yes] },
        ],
      },
      { condition: 'all(yes)', ends: 'completed' },
    ],
  ])('%s', (_name, condition, expected) => {
    expect(evaluate(condition, second)).toEqual(expected)
  })

  test('the first met condition of a list is reported', () => {
    expect(findMetCondition([no, twoIterations, yes], second)?.condition).toBe('max-iterations')
    expect(findMetCondition([], second)).toBeUndefined()
  })
})
