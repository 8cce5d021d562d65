import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Workload } from '../workload/workload.ts'
import { adjustPlan } from './adjust-plan.ts'
import { applyPlan } from './apply-plan.ts'
import { parsePlan } from './parse-plan.ts'
import { type Plan, type PlannedHypothesis, rankHypotheses } from './plan.ts'
import { readPrior } from './read-prior.ts'
import { writePlan } from './write-plan.ts'

/** As it is after it was written once: on one line. */
const words = fc
  .array(fc.constantFrom('a', 'the case', '## Focus cases', '- x', '1. y', '`z`', 'é'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => `w ${parts.join(' ')}`)
const rating = fc.constantFrom('high' as const, 'medium' as const, 'low' as const)
const hypothesis = fc.record({
  statement: words,
  prediction: words,
  likelihood: rating,
  testability: rating,
  impact: rating,
})
const plans: fc.Arbitrary<Plan> = fc.record({
  problem: words,
  failureContext: fc.array(words, { minLength: 1, maxLength: 3 }),
  hypotheses: fc.array(hypothesis, { minLength: 1, maxLength: 4 }),
  experiments: fc.array(
    fc.record({
      hypothesis: fc.integer({ min: 1, max: 9 }),
      file: words,
      section: words,
      current: words,
      change: words,
    }),
    { maxLength: 3 },
  ),
  focus: fc.array(words, { maxLength: 3 }),
  guards: fc.array(words, { maxLength: 3 }),
  exclusions: fc.array(fc.record({ id: fc.constantFrom('a.txt', 'b.txt'), reason: words }), {
    maxLength: 2,
  }),
  criteria: fc.record({
    target: fc.integer({ min: 1, max: 100 }).map((percent) => percent / 100),
    minimum: words,
    qualitative: words,
    exits: fc.array(words, { maxLength: 3 }),
  }),
})

test('a plan that is written and parsed is the same', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      expect(parsePlan(writePlan(plan))).toEqual(plan)
    }),
    { numRuns: 200 },
  )
})

test('a text with line breaks cannot add a section', () => {
  const [plan] = fc.sample(plans, 1)
  if (plan === undefined) throw new Error('no plan')
  const forged = { ...plan, problem: 'x\n\n## Exclusions\n\n- cases/a: forged' }
  const parsed = parsePlan(writePlan(forged))
  expect(parsed).toMatchObject({ exclusions: plan.exclusions })
})

test.each([
  ['', 'it has no hypothesis'],
  ['## Hypotheses\n\n1. It is slow.\n', 'has no prediction'],
])('a plan that cannot be used says why: %j', (text, problem) => {
  expect(parsePlan(text)).toContain(problem)
})

test('a plan of a person may leave out almost everything', () => {
  const text = '## hypotheses\n\n1. The rule is too strict.\n   - Prediction: a passes.\n'
  expect(parsePlan(text)).toMatchObject({
    hypotheses: [{ statement: 'The rule is too strict.', likelihood: 'medium' }],
    focus: [],
    criteria: { exits: [] },
  })
})

test('likely, testable and important hypotheses come first', () => {
  const of = (statement: string, likelihood: 'high' | 'low', impact: 'high' | 'low') =>
    ({ statement, prediction: 'p', likelihood, testability: 'medium', impact }) as PlannedHypothesis
  const ranked = rankHypotheses([
    of('a', 'low', 'low'),
    of('b', 'high', 'high'),
    of('c', 'low', 'high'),
  ])
  expect(ranked.map(({ statement }) => statement)).toEqual(['b', 'c', 'a'])
})

const workload = {
  cases: ['a', 'b', 'c'].map((id) => ({ id, path: `evals/${id}` })),
  split: { suite: ['a', 'b'], holdout: ['c'], focus: [], guards: ['b'], excluded: [] },
} as unknown as Workload

const plain = parsePlan('## Hypotheses\n\n1. h\n   - Prediction: p\n') as Plan

test('cases are named by their id or their path', () => {
  const applied = applyPlan(workload, { ...plain, focus: ['evals/a'] })
  expect(applied).toMatchObject({ split: { focus: ['a'], guards: ['b'] } })
})

test.each<[string, Partial<Plan>, string]>([
  ['an unknown case', { focus: ['x'] }, 'names the case x'],
  ['a sealed case', { guards: ['c'] }, 'sealed until the end'],
  [
    'every case left out',
    { exclusions: ['a', 'b'].map((id) => ({ id, reason: 'r' })) },
    'leaves out every case',
  ],
])('a plan is refused for %s', (_what, change, problem) => {
  expect(applyPlan(workload, { ...plain, ...change })).toContain(problem)
})

test('a person changes a plan in words', () => {
  const changed = adjustPlan(plain, 'hypothesis = The anchor is missing -> a passes')
  expect(changed).toMatchObject({ hypotheses: [{ statement: 'The anchor is missing' }, {}] })
  expect(adjustPlan(plain, 'focus = a, b')).toMatchObject({ focus: ['a', 'b'] })
  expect(adjustPlan(plain, 'target = 250 %')).toContain('target = 90 %')
  expect(adjustPlan(plain, 'exclude = a')).toContain('exclude = <case>: <reason>')
  expect(adjustPlan(plain, 'do better')).toContain('write it as one of')
})

test('an earlier debrief is data: what failed, what was tried, what was learned', () => {
  const prior = readPrior(
    '# Loop: x\n\n## Executive summary\n\n- Status: Improved\n\n## Hypothesis audit trail\n\n| Iter | Hypothesis | Prediction | Outcome |\n| --- | --- | --- | --- |\n| 2 | knob x \\| y | p | rejected |\n\n## Failing cases\n\n- cases/a: it is bad\n',
  )
  expect(prior).toMatchObject({
    failing: ['cases/a'],
    tried: [{ text: 'knob x \\| y', outcome: 'rejected' }],
    lessons: ['From the earlier loop: Status: Improved'],
  })
  expect(readPrior('anything').failing).toEqual([])
})
