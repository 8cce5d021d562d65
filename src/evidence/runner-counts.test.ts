import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareCounts, readCounts } from './runner-counts.ts'

const counts = (passed: number, failed: number, skipped: number): object => ({
  passed,
  failed,
  skipped,
})

const nodeSpec = `✔ a (0.5ms)
ℹ tests 4
ℹ suites 0
ℹ pass 1
ℹ fail 1
ℹ cancelled 0
ℹ skipped 1
ℹ todo 1
ℹ duration_ms 723.314796

✖ failing tests:
`
const nodeTap = nodeSpec.replaceAll('ℹ', '#')
const vitest = `
 ❯ a.test.ts (3 tests | 1 failed) 5ms

 Test Files  1 failed | 3 passed (4)
      Tests  2 failed | 35 passed | 1 skipped | 2 todo (40)
   Start at  23:08:14
   Duration  1.17s
`
const cargo = `
running 2 tests
test b ... ignored
test a ... ok

test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/c.rs (target/debug/deps/c-1)

running 1 test
test c ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests c

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`
const surefire = `[INFO] Running com.x.ATest
[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.05 s -- in com.x.ATest
[INFO] Running com.x.BTest
[INFO] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.01 s <<< FAILURE! -- in com.x.BTest
[INFO]
[INFO] Results:
[INFO]
[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1
[INFO]
`

describe('the summaries of runners', () => {
  test.each([
    ['node:test, spec', nodeSpec, counts(1, 1, 2)],
    ['node:test, TAP', nodeTap, counts(1, 1, 2)],
    ['tape', '1..3\n# tests 3\n# pass  2\n# fail  1\n', counts(2, 1, 0)],
    ['vitest', vitest, counts(35, 2, 3)],
    [
      'vitest in colours',
      '\u001b[2m Test Files \u001b[22m \u001b[1m\u001b[32m1 passed\u001b[39m\u001b[22m\u001b[90m (1)\u001b[39m\n\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m2 passed\u001b[39m\u001b[22m\u001b[90m (2)\u001b[39m',
      counts(2, 0, 0),
    ],
    ['vitest without tests', ' Test Files  1 failed (1)\n      Tests  no tests\n', counts(0, 0, 0)],
    [
      'jest',
      'Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 1 todo, 10 passed, 14 total\nSnapshots:   0 total\n',
      counts(10, 1, 3),
    ],
    ['mocha', '\n  12 passing (34ms)\n  1 pending\n  2 failing\n\n  1) a\n', counts(12, 2, 1)],
    ['mocha that ran nothing', '\n  0 passing (1ms)\n', counts(0, 0, 0)],
    [
      'ava',
      '  ✔ a\n  ─\n\n  1 test failed\n  12 tests passed\n  2 tests skipped\n  1 test todo\n',
      counts(12, 1, 3),
    ],
    [
      'tap',
      'Suites:   0 failed  1 passed  1 of 1\nAsserts:  1 failed  5 passed  6 of 6\n',
      counts(5, 1, 0),
    ],
    [
      'pytest',
      '====== 1 failed, 1 passed, 1 skipped, 1 xfailed, 1 error in 0.12s ======\n',
      counts(1, 2, 2),
    ],
    ['pytest -q', '.\n1 passed, 4 deselected in 0.01s\n', counts(1, 0, 4)],
    ['pytest that found nothing', 'no tests ran in 0.00s\n', counts(0, 0, 0)],
    ['unittest', 'Ran 3 tests in 0.000s\n\nOK (skipped=1, expected failures=1)\n', counts(1, 0, 2)],
    [
      'unittest with more failed subtests than tests',
      'Ran 3 tests in 0.000s\n\nFAILED (failures=7)\n',
      counts(0, 3, 0),
    ],
    [
      'unittest that failed',
      'Ran 4 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n',
      counts(2, 2, 0),
    ],
    [
      'go test',
      'ok  \texample.com/a\t0.004s\n?   \texample.com/b\t[no test files]\nFAIL\texample.com/c\t0.1s\nok  \texample.com/d\t0.1s [no tests to run]\nFAIL\n',
      counts(1, 1, 0),
    ],
    [
      'go test -v',
      '=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n=== RUN   TestB/one\n--- SKIP: TestB (0.00s)\n    --- FAIL: TestB/one (0.00s)\nFAIL\texample.com/a\t0.004s\n',
      counts(1, 1, 1),
    ],
    ['cargo test, all blocks', cargo, counts(2, 0, 1)],
    [
      'cargo nextest',
      '     Summary [   0.012s] 6 tests run: 5 passed, 1 failed, 2 skipped\n',
      counts(5, 1, 2),
    ],
    ['surefire', surefire, counts(3, 1, 1)],
    ['gradle', '12 tests completed, 1 failed, 2 skipped\n', counts(9, 1, 2)],
  ])('%s', (_runner, output, expected) => {
    expect(readCounts(output)).toEqual(expected)
  })

  test('lines may end as on Windows', () => {
    expect(readCounts(nodeSpec.replaceAll('\n', '\r\n'))).toEqual(counts(1, 1, 2))
  })
})

describe('what is no answer', () => {
  test.each([
    ['nothing', ''],
    ['a claim in prose', 'All 12 tests passed!\n12 passed\n'],
    ['a summary that was printed twice', nodeSpec + nodeSpec],
    ['summaries of two runners', nodeSpec + vitest],
    [
      'one that code prints behind the real one',
      `${vitest}\n Test Files  9 passed (9)\n      Tests  99 passed (99)\n`,
    ],
    ['half a summary', 'ℹ tests 4\nℹ suites 0\n'],
    ['tests of vitest without their files', '      Tests  9 passed (9)\n'],
    ['tests of jest without their suites', 'Tests:       9 passed, 9 total\n'],
    ['blocks of cargo that ran more than they announced', cargo.replace('running 1 test\n', '')],
    ['classes of surefire that do not add up', surefire.replace('Tests run: 5,', 'Tests run: 9,')],
  ])('%s', (_what, output) => {
    expect(readCounts(output)).toBeUndefined()
  })
})

describe('hostile output', () => {
  test('throws nothing, whatever is printed', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom(...[nodeSpec, vitest, cargo, surefire].flatMap((text) => text.split('\n'))),
      fc.constantFrom(
        '\u001b[',
        '\u001b]',
        'Ran 99999999999 tests in 1s',
        '999999999 passed',
        '\r',
        '\n',
      ),
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.constantFrom('', '\n', ' '),
        (pieces, by) => {
          const found = readCounts(pieces.join(by))
          if (found === undefined) return
          for (const count of Object.values(found)) {
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
          }
        },
      ),
    )
  })

  test.each([
    ['escapes that never end', '\u001b[1;'.repeat(100_000)],
    ['titles that never end', '\u001b]0;'.repeat(200_000)],
    ['numbers and words', '1 passed, '.repeat(200_000)],
    ['one long line', '9'.repeat(2_000_000)],
    ['class lines', 'Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n'.repeat(50_000)],
  ])('%s have an end', (_what, output) => {
    expect(readCounts(output)).toBeUndefined()
  })

  test('of very long output the end counts', () => {
    expect(readCounts(`${'x\n'.repeat(600_000)}${nodeSpec}`)).toEqual(counts(1, 1, 2))
  })
})

describe('compared with the base', () => {
  const codes = (base: object | undefined, now: object | undefined): readonly string[] =>
    compareCounts(base as never, now as never).map(({ code }) => code)

  test.each([
    ['the same', counts(5, 0, 1), counts(5, 0, 1), []],
    ['more tests', counts(5, 0, 0), counts(7, 0, 0), []],
    ['mended tests', counts(3, 2, 0), counts(5, 0, 0), []],
    ['tests that run again', counts(3, 0, 2), counts(5, 0, 0), []],
    ['fewer', counts(5, 0, 0), counts(4, 0, 0), ['fewer-tests']],
    ['a test that is skipped now', counts(5, 0, 0), counts(4, 0, 1), ['skipped-tests']],
    ['a new test that is skipped', counts(5, 0, 0), counts(5, 0, 1), ['skipped-tests']],
    ['all skipped', counts(2, 0, 0), counts(0, 0, 2), ['fewer-tests', 'skipped-tests']],
    ['none any more', counts(5, 0, 0), counts(0, 0, 0), ['fewer-tests']],
    ['no summary any more', counts(5, 0, 0), undefined, ['no-counts']],
    ['no summary before', undefined, undefined, []],
  ])('%s', (_what, base, now, expected) => {
    expect(codes(base, now)).toEqual(expected)
  })
})
