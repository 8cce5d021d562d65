import { expect, test } from 'vitest'
import type { Certificate } from './certificate.ts'
import { describeLevel, describeStrength } from './describe-strength.ts'

const shown = (id: string) => ({ id, ableToFail: ['before', 'after'] as const })
const tests = {
  check: 'test',
  runners: ['vitest'],
  redToGreen: [shown('a'), shown('b'), shown('c')],
  keptGreen: 12,
  added: 0,
  addedRedWithoutWork: 0,
  skipped: 0,
  notShownAbleToFail: [],
}
const command = {
  check: 'all',
  files: ['test/all.js', 'test/more.js'],
  ableToFail: ['after'],
  unnoticed: [],
  runsWork: true,
} as const
const certificate = (parts: Partial<Certificate>): Certificate =>
  ({ approvals: [], ...parts }) as Certificate

test('lists tests, control runs and changes', () => {
  const found = certificate({
    strength: { level: 'red-to-green', required: 'work-alone', statements: [] },
    tests: [tests],
    controls: [
      { name: 'base-plus-work', checks: [], held: true },
      { name: 'work-taken-back', checks: [], held: false },
    ],
    changes: [
      { path: 'spec.md', class: 'other', approved: true },
      { path: 'data.json', class: 'other', approved: true },
      { path: 'src/a.ts', class: 'work' },
    ],
    approvals: [{ codes: ['other'], by: 'ana', at: 'then', digest: 'd' }],
  })
  expect(describeLevel(found)).toBe(
    'red-to-green (tests that failed before pass through the work alone; required: work-alone)',
  )
  expect(describeStrength(found)).toEqual([
    'test: 3 tests went from red to green, each shown able to fail; 12 stayed green.',
    'On the base plus only the work, the checks pass.',
    'With the work reverted, tests that were red stay green.',
    'Changed: 1 file of the work, 2 files outside the scope (approved by ana).',
  ])
})

test('lists what was not shown, and what could not be observed', () => {
  const found = certificate({
    tests: [{ ...tests, notShownAbleToFail: ['b'], added: 2, addedRedWithoutWork: 1, skipped: 4 }],
    commands: [
      { ...command, files: [], ableToFail: [] },
      { ...command, check: 'e2e' },
      { ...command, check: 'lint', unnoticed: ['value'], runsWork: false },
      { ...command, check: 'smoke', files: ['a.sh'], ableToFail: [], unnoticed: ['after'] },
    ],
    observed: { reads: 'none', writes: 'overlay' },
  })
  expect(describeStrength(found)).toEqual([
    'test: 3 tests went from red to green, 2 of them shown able to fail; 12 stayed green; 2 added, of which 1 fail without the work; 4 skipped.',
    'all reports no tests, and no failure could be planted in it.',
    'e2e reports no tests; failures planted in 2 files made it fail.',
    'lint reports no tests, and does not run the code of the work.',
    'smoke reports no tests, and passes with a failure planted in a.sh.',
    'Which files the checks read could not be observed.',
  ])
})

test('is empty for a version 1 certificate', () => {
  expect([describeLevel(certificate({})), describeStrength(certificate({}))]).toEqual([
    undefined,
    [],
  ])
})

test('uses the statements of the certificate if it has any', () => {
  const strength = {
    level: 'work-alone',
    required: 'work-alone',
    statements: ['12 tests stayed green.'],
  } as const
  const changes = [{ path: 'src/a.ts', class: 'work' }] as const
  expect(describeStrength(certificate({ strength, tests: [tests], changes }))).toEqual([
    '12 tests stayed green.',
    'Changed: 1 file of the work.',
  ])
})
