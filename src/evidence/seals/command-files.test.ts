import { describe, expect, test } from 'vitest'
import { findCommandFiles, findCommandLineFiles } from './command-files.ts'

describe('files that a command line starts or loads', () => {
  test.each<readonly [string, readonly string[]]>([
    ['node scripts/test.mjs --all', ['scripts/test.mjs']],
    ['node --import ./hooks.mjs --test', ['hooks.mjs']],
    ['node --require=./a.cjs b.js', ['a.cjs', 'b.js']],
    ['node --test test/a.js test/b.js', ['test/a.js', 'test/b.js']],
    ['./check.sh src', ['check.sh']],
    ['bash -eu ci/run.sh arg', ['ci/run.sh']],
    ['sh -c "node a.js && ./b.sh"', ['a.js', 'b.sh']],
    ['CI=1 exec node a.js', ['a.js']],
    ['cross-env CI=1 node a.js', ['a.js']],
    ['eslint src/a.js', []],
    ['test -f done.txt && grep -f words.txt out.txt', []],
    ['[ -f done.txt ] || node check.js', ['check.js']],
    ['vitest run --config tools/v.ts', ['tools/v.ts']],
    ['tsc -p tsconfig.test.json && node "a b.js"', ['tsconfig.test.json', 'a b.js']],
    ['python3 tools/check.py; make', ['tools/check.py']],
    ['', []],
    ['node', []],
    ['&& || ;', []],
  ])('%s', (line, expected) => {
    expect(findCommandLineFiles(line)).toEqual(expected)
  })

  test('treats an argument as one word, whatever it contains', () => {
    expect(findCommandFiles(['node', 'a b.js', 'c.js'])).toEqual(['a b.js'])
  })

  test('limits very long lines', () => {
    expect(findCommandLineFiles('"'.repeat(500_000))).toEqual([])
    expect(findCommandLineFiles('node \\'.repeat(100_000)).length).toBeLessThan(10)
  })
})
