import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineCollector } from '../src/loop/excerpt/collect-lines.ts'
import { excerpt, selectKeyLines } from '../src/loop/excerpt/excerpt.ts'

/** Recorded with colors from the runners themselves, stdout first, then stderr. */
const recorded = (name: string): string =>
  readFileSync(new URL(`./outputs/${name}.txt`, import.meta.url), 'utf8')

/** What a reader needs: which test, the expected value, where, and how it ended. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'node-spec': ['two and three', '-1 == 5', 'expected: 5', 'node.test.cjs:3', 'fail 4'],
  'node-tap': ['not ok 1 - two and three', "'-1 == 5'", 'expected: 5', 'test.cjs:3:32', '# fail 4'],
  tape: ['not ok 2', 'expected: |-', 't.cjs:2:81', '# fail  1'],
  vitest: ['sum > two and three', 'expected -1 to be 5', '+ -1', 'sum.test.js:2:106', '3 failed'],
  jest: ['● sum › two and three', 'Expected: 5', 'Received: -1', 'sum.test.js:2:106', '3 failed'],
  mocha: ['two and three', '-1 == 5', "reading 'name'", 'm/sum.js:3:65', '3 failing'],
  ava: ['two and three', '- -1', '+ 5', 'test.mjs:2:62', '3 tests failed'],
  pytest: ['test_two_and_three', 'assert -1 == 5', 'test_sum.py:4', '3 failed, 1 passed'],
  go: ['TestSum/two_and_three', 'sum_test.go:4: Sum(2, 3) = -1; want 5', 'FAIL\texample.com/sum'],
  'go-verbose': ['TestSum/two_and_three', 'Sum(2, 3) = -1; want 5', 'panic: assignment to entry'],
  'go-build': ['./sum.go:2:34: undefined: c', '[build failed]'],
  'cargo-test': ['tests::other', 'index out of bounds', 'src/lib.rs:6:56', '1 passed; 2 failed'],
  'cargo-build': ['error[E0425]: cannot find value `c`', 'src/lib.rs:1:32', 'could not compile'],
  tsc: ['a.ts:1:14 - error TS2322', "Type 'string' is not assignable", 'Found 3 errors'],
  eslint: ['/project/es/a.js', "1:7   error    'unused'", '5 problems (4 errors'],
  biome: ['a.js:3:16 lint/suspicious/noAssignInExpressions', '✖ The assignment', 'Found 4 errors'],
}

const chatter = (what: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${what} ${index}: nothing to see here\n`).join('')

test.each(Object.keys(needed))('a small excerpt contains what matters of a failed %s', (name) => {
  const around = `${chatter('before', 400)}${recorded(name)}\n${chatter('after', 400)}`
  const shown = excerpt(around, 1500)
  for (const part of needed[name] ?? []) expect(shown).toContain(part)
  expect(shown.length).toBeLessThanOrEqual(1500)
  expect(shown).not.toContain('\u001b')
  expect(shown).toContain('lines left out]')
})

test.each(Object.keys(needed))('a failed %s is found in the middle of long output', (name) => {
  const around = `${chatter('before', 6000)}${recorded(name)}\n${chatter('after', 6000)}`
  const shown = excerpt(around, 4000)
  for (const part of needed[name] ?? []) expect(shown).toContain(part)
})

test('output that fits is left unchanged', () => {
  const text = 'one\n\n  two\n\tthree'
  expect(excerpt(text, 100)).toBe(text)
  expect(excerpt('', 100)).toBe('')
})

test('for an unknown runner, the first error comes first, then the end', () => {
  const text = `$ make\n${chatter('cc', 500)}main.c:3:5: error: unknown type name 'strng'\n${chatter('cc', 500)}make: *** [all] Error 1\n`
  const shown = excerpt(text, 600)
  expect(shown).toContain('$ make')
  expect(shown).toContain("main.c:3:5: error: unknown type name 'strng'")
  expect(shown).toContain('make: *** [all] Error 1')
})

test('a failure that is printed twice is shown once', () => {
  const text = recorded('node-spec')
  const shown = excerpt(text, 2000)
  expect(shown.match(/two and three/g)).toHaveLength(1)
  expect(shown).toContain('objects')
  expect(shown).toContain("reading 'name'")
})

test('for any output, an excerpt keeps its limit, is plain text, and does not depend on chunks', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('\n', '\r', '\u001b[31m', '\u001b]8;;x\u0007', 'not ok 1 a\n', 'Error: b\n'),
    fc.constantFrom('😀'.repeat(300), 'x'.repeat(3000), '--- FAIL: T\n', '  1) a\n'),
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.integer({ min: 100, max: 3000 }),
      (pieces, charsMax) => {
        const whole = excerpt(pieces.join(''), charsMax)
        expect(whole.length).toBeLessThanOrEqual(charsMax)
        expect(whole).not.toMatch(/(?![\n\t])\p{Cc}/u)
        const collector = createLineCollector()
        for (const one of pieces) collector.push(one)
        const other = createLineCollector()
        other.push(pieces.join(''))
        expect(collector.end()).toEqual(other.end())
      },
    ),
    { numRuns: 50 },
  )
})

// Quadratic time would take minutes and exceed the timeout of the test.
test.each([
  ['one endless line', 'x'.repeat(2_000_000)],
  ['short lines', 'x\n'.repeat(1_000_000)],
  ['errors only', 'Error: at a.ts:1:2 expected\n'.repeat(70_000)],
  ['failures only', '  1) not ok 1 ✖ FAIL:\n'.repeat(80_000)],
  ['escapes that do not end', '\u001b[0;0;0'.repeat(250_000)],
  ['titles that do not end', '\u001b]8;;x'.repeat(280_000)],
  ['progress', '\r 10%'.repeat(340_000)],
  ['rules', '_ '.repeat(1_000_000)],
])('megabytes of %s are processed quickly', (_, text) => {
  expect(excerpt(text, 4000).length).toBeLessThanOrEqual(4000)
})

test('of a failure in TAP, the few lines on the screen are those with values', () => {
  const output = [
    'TAP version 13',
    '# Subtest: adds',
    'not ok 1 - adds',
    '  ---',
    '  duration_ms: 6.5',
    "  location: '/w/test/sum.test.js:4:1'",
    "  failureType: 'testCodeFailure'",
    '  error: |-',
    '    Expected values to be strictly equal:',
    '    6 !== 11',
    "  code: 'ERR_ASSERTION'",
    '  expected: 11',
    '  actual: 6',
    '  ...',
    '1..1',
  ].join('\n')
  const lines = selectKeyLines(output, 6).map((line) => line.trim())
  expect(lines).toEqual(expect.arrayContaining(['not ok 1 - adds', 'expected: 11', 'actual: 6']))
  expect(lines).not.toContain('---')
  expect(lines).not.toContain('error: |-')
})
