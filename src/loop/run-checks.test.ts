import { expect, test } from 'vitest'
import type { TreeId } from './ids.ts'
import { failedOnBase, listRunChecks } from './run-checks.ts'
import { initialState } from './state.ts'

const tree = (name: string): TreeId => name as TreeId

const state = {
  ...initialState,
  checks: [
    { check: 'test', kind: 'command', condition: 'all_tests_pass' },
    { check: 'lint', kind: 'command' },
    { check: 'good', kind: 'judge' },
  ],
  evidence: {
    lint: { status: 'not-met', iteration: 1, tree: tree('old') },
    test: { status: 'met', iteration: 2, tree: tree('now') },
    gone: { status: 'met', iteration: 1, tree: tree('old') },
  },
  preflight: {
    checks: [
      { check: 'test', answer: 'passes', durationMs: 1 },
      { check: 'lint', answer: 'fails', durationMs: 1 },
      { check: 'good', answer: 'unknown', durationMs: 0 },
    ],
  },
} as const

test('a check is pending until it has a result on the current files', () => {
  expect(listRunChecks(state, tree('now'))).toEqual([
    {
      check: 'test',
      status: 'met',
      kind: 'command',
      condition: 'all_tests_pass',
      last: { status: 'met', iteration: 2 },
      base: 'passes',
    },
    {
      check: 'lint',
      status: 'pending',
      kind: 'command',
      last: { status: 'not-met', iteration: 1 },
      base: 'fails',
    },
    { check: 'good', status: 'pending', kind: 'judge' },
    { check: 'gone', status: 'pending', last: { status: 'met', iteration: 1 } },
  ])
  expect(failedOnBase(state)).toEqual(['lint'])
})
