import { expect, test } from 'vitest'
import { namedModes, parseFraming, rulesOf, targetCases } from './modes.ts'

test('the three modes differ in what they allow', () => {
  const allowed = Object.values(namedModes).map(({ variables, regressions, success }) =>
    [variables, regressions, success].join(' '),
  )
  expect(new Set(allowed).size).toBe(3)
})

test.each([
  ['', { variables: 'one', regressions: 'refused', success: 'gain' }],
  ['I do not know.', { variables: 'one', regressions: 'refused', success: 'gain' }],
  ['Bold rewrites, please.', { variables: 'many', regressions: 'tolerated', success: 'gain' }],
  [
    'Close every remaining failure, bold rewrites are fine.',
    { variables: 'many', regressions: 'tolerated', success: 'zero-failures' },
  ],
  [
    'Isolate one variable, but tolerate regressions.',
    { variables: 'one', regressions: 'tolerated', success: 'gain' },
  ],
])('the framing "%s" is blended from them', (framing, rules) => {
  expect(parseFraming(framing)).toMatchObject(rules)
})

test('a framing can name its role, goal and mindset', () => {
  const framing = 'role: Editor\ngoal: shorter prompts\nmindset: cut\nbold'
  expect(rulesOf('custom', framing)).toMatchObject({
    role: 'Editor',
    goal: 'shorter prompts',
    mindset: 'cut',
    variables: 'many',
  })
})

test('only convergence has a target set of its own', () => {
  const split = { suite: ['a', 'b', 'c'], focus: ['b'] }
  expect(targetCases(namedModes.convergence, split)).toEqual(['b'])
  expect(targetCases(namedModes.convergence, { ...split, focus: [] })).toEqual(['a', 'b', 'c'])
  expect(targetCases(namedModes.precision, split)).toEqual(['a', 'b', 'c'])
})
