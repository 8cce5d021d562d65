import { describe, expect, test } from 'vitest'
import type {
  CertificateDraft,
  CommandEvidence,
  ControlRun,
  TestEvidence,
} from '../../protocol/index.ts'
import { certificateDraft } from '../../testing/certificate-draft.ts'
import { brokenRules } from './certificate-rules.ts'

const approval = {
  codes: ['out-of-scope'],
  by: 'ana',
  at: '2026-01-02T03:04:05.000Z',
  digest: 'a'.repeat(64),
}
const held: ControlRun = {
  name: 'base-plus-work',
  checks: [{ name: 'test', status: 'met' }],
  held: true,
}
const tests: TestEvidence = {
  check: 'test',
  runners: ['vitest'],
  redToGreen: [{ id: 'sum.test.ts > adds', ableToFail: ['before', 'after', 'value'] }],
  keptGreen: 12,
  added: 0,
  addedRedWithoutWork: 0,
  skipped: 0,
  notShownAbleToFail: [],
}
const command: CommandEvidence = {
  check: 'program',
  files: ['test/all.js'],
  ableToFail: ['after', 'value'],
  unnoticed: [],
  runsWork: true,
}
const strength = (
  level: NonNullable<CertificateDraft['strength']>['level'],
  required: typeof level = 'work-alone',
) => ({ level, required, statements: [] })

describe('a strength that is not shown', () => {
  test.each<[string, Partial<CertificateDraft>, RegExp]>([
    ['below what is required', { strength: strength('checks-pass') }, /work-alone is required/],
    [
      'below what is required, with approved dependencies',
      { strength: strength('checks-pass'), approvals: [{ ...approval, codes: ['dependencies'] }] },
      /work-alone is required/,
    ],
    ['work-alone without a control run', { strength: strength('work-alone') }, /not shown to pass/],
    [
      'work-alone with a control run that did not hold',
      { strength: strength('work-alone'), controls: [{ ...held, held: false }] },
      /not shown to pass.*did not hold/,
    ],
    [
      'red-to-green without tests',
      { strength: strength('red-to-green'), controls: [held] },
      /no test went from red to green/,
    ],
    [
      'red-to-green with a test that noticed one planted failure of two',
      {
        strength: strength('red-to-green'),
        controls: [held],
        tests: [{ ...tests, redToGreen: [{ id: 'x', ableToFail: ['before', 'value'] }] }],
      },
      /no test went from red to green/,
    ],
    [
      'a red-to-green test that was not shown able to fail',
      {
        strength: strength('red-to-green'),
        controls: [held],
        tests: [{ ...tests, notShownAbleToFail: ['sum.test.ts > adds'] }],
      },
      /"sum.test.ts > adds" was not shown able to fail/,
    ],
    [
      'a check without tests that passes with a planted failure',
      { commands: [{ ...command, ableToFail: [], unnoticed: ['after'] }] },
      /The check program was not shown able to fail/,
    ],
    [
      'a file outside the scope that no person approved',
      { changes: [{ path: 'spec.md', class: 'other' }] },
      /spec.md is outside the scope/,
    ],
    [
      'a file that is marked as approved without an approval',
      { changes: [{ path: 'spec.md', class: 'sealed', approved: true }] },
      /spec.md is outside the scope/,
    ],
  ])('%s', (_what, change, problem) => {
    expect(brokenRules(certificateDraft(change)).join(' ')).toMatch(problem)
  })
})

describe('a strength that is shown', () => {
  test.each<[string, Partial<CertificateDraft>]>([
    ['checks-pass where it is enough', { strength: strength('checks-pass', 'checks-pass') }],
    ['work-alone', { strength: strength('work-alone'), controls: [held] }],
    ['red-to-green', { strength: strength('red-to-green'), controls: [held], tests: [tests] }],
    [
      'checks without tests that noticed a planted failure, or do not run the work',
      {
        commands: [
          command,
          { ...command, check: 'lint', ableToFail: [], unnoticed: ['after'], runsWork: false },
        ],
      },
    ],
    [
      'a weaker one that a person approved',
      { strength: strength('checks-pass'), approvals: [{ ...approval, codes: ['sealed-failed'] }] },
    ],
    [
      'other files that a person approved, and free ones that need no approval',
      {
        changes: [
          { path: 'spec.md', class: 'other', approved: true },
          { path: 'src/sum.ts', class: 'work' },
          { path: 'README.md', class: 'not-read' },
        ],
        approvals: [approval],
      },
    ],
  ])('%s', (_what, change) => {
    expect(brokenRules(certificateDraft(change))).toEqual([])
  })
})
