import { expect, test } from 'vitest'
import { disableLintRules, findLintRules } from './lint-rules.ts'

test.each([
  [
    'ESLint',
    '/w/a.js\n  6:38  error  Unnecessary semicolon  no-extra-semi\n\n✖ 1 problem',
    'no-extra-semi',
  ],
  [
    'XO',
    '  a.js:6:37\n  ✖  6:39  This line has 3 statements.  @stylistic/max-statements-per-line',
    '@stylistic/max-statements-per-line',
  ],
  ['standard', '  /w/a.js:6:64: Strings must use singlequote. (quotes)', 'quotes'],
  [
    'a plugin',
    '  6:1  warning  Use of t  @typescript-eslint/no-throw-literal',
    '@typescript-eslint/no-throw-literal',
  ],
])('the rules that %s names are found', (_linter, output, rule) => {
  expect(findLintRules(output)).toEqual([rule])
})

test('other output names no rules', () => {
  expect(findLintRules('not ok 1 - adds\n  expected: 3\nError: x\n    at a.js:1:2)\n')).toEqual([])
  expect(findLintRules(`1:1 ${'a '.repeat(100_000)}`)).toEqual([])
})

test('rules are disabled on the line of the first statement, after the first comment', () => {
  const text = "#!/usr/bin/env node\n/** @flow */\n\nimport a from 'a'\n"
  expect(disableLintRules('a.test.ts', text, ['semi', 'quotes'])).toBe(
    "#!/usr/bin/env node\n/** @flow */\n\n/* eslint-disable semi, quotes */ import a from 'a'\n",
  )
  expect(disableLintRules('a_test.py', 'import a\n', ['semi'])).toBe('import a\n')
  expect(disableLintRules('a.js', 'a()\n', [])).toBe('a()\n')
})

test('a long comment is skipped in linear time', () => {
  const text = `${'/* a '.repeat(20_000)}\n${'// a\n'.repeat(20_000)}`
  expect(disableLintRules('a.js', text, ['semi'])).toContain('eslint-disable')
})
