/**
 * One small project for each test runner: a passing, a failing, a skipped and a nested test, two of the same name,
 * and a file that does not load. With what must be reported of each.
 */

import { pythonProjects } from './identity-python.ts'

export interface RunnerProject {
  readonly name: string
  /** From the registry. Empty: it is a program of the machine. */
  readonly packages: readonly string[]
  /** Must be on the machine, else the project is left out. */
  readonly needs?: string
  readonly command: readonly string[]
  readonly files: Readonly<Record<string, string>>
  /** `<status> <id>`, sorted. */
  readonly tests: readonly string[]
  /** Of a test that can be run by itself, or with its file. */
  readonly only: string
}

const manifest = (test: string, type = 'module'): string =>
  JSON.stringify({ type, private: true, scripts: { test } })

const describeTests = (head: string, check: string): string => `${head}
describe('s', () => {
  it('x', () => {})
  it('y', () => { ${check} })
  it.skip('k', () => {})
  describe('t', () => { it('z', () => {}) })
})
it('same', () => {})
it('same', () => {})
`

const describedTests = [
  'failed test/a.test.js > s > y',
  'failed test/broken.test.js > (file)',
  'passed test/a.test.js > s > t > z',
  'passed test/a.test.js > s > x',
  'passed test/a.test.js > same',
  'passed test/a.test.js > same #2',
  'skipped test/a.test.js > s > k',
]

const broken = { 'test/broken.test.js': `import './missing.js'\n` }

const nodeFiles = {
  'test/a.test.js': describeTests(
    `import { describe, it } from 'node:test'\nimport assert from 'node:assert'`,
    'assert.equal(1, 2)',
  ),
  ...broken,
}

const vitestFiles = {
  'package.json': manifest('vitest run'),
  'test/a.test.js': describeTests(
    `import { describe, expect, it } from 'vitest'`,
    'expect(1).toBe(2)',
  ),
  ...broken,
}

const jestFiles = {
  'package.json': manifest('jest', 'commonjs'),
  'test/a.test.js': describeTests('', 'expect(1).toBe(2)'),
  'test/broken.test.js': `require('./missing.js')\n`,
}

/** A file that does not load ends mocha, so it is in a folder of its own. */
const mochaFiles = {
  'package.json': manifest('mocha; mocha broken', 'commonjs'),
  'test/a.test.js': describeTests(`const assert = require('assert')`, 'assert.equal(1, 2)'),
  'broken/b.test.js': `require('./missing.js')\n`,
}

const mochaTests = describedTests.map((line) =>
  line.replace('test/broken.test.js', 'broken/b.test.js'),
)

const npmTest = ['npm', 'test']
const failing = 'test/a.test.js > s > y'

const javaScript: readonly RunnerProject[] = [
  {
    name: 'node:test',
    packages: [],
    command: npmTest,
    files: { 'package.json': manifest('NODE_OPTIONS= node --test'), ...nodeFiles },
    tests: describedTests,
    only: failing,
  },
  {
    name: 'tsx --test',
    packages: ['tsx'],
    command: npmTest,
    files: { 'package.json': manifest('tsx --test test/*.test.js'), ...nodeFiles },
    tests: describedTests,
    only: failing,
  },
  {
    name: 'node a.test.js',
    packages: [],
    command: ['/bin/sh', '-c', 'node test/a.test.js'],
    files: { 'package.json': manifest(''), ...nodeFiles },
    tests: describedTests.filter((line) => !line.includes('broken')),
    only: failing,
  },
  ...['vitest@4', 'vitest@2'].map((version) => ({
    name: version,
    packages: [version],
    command: npmTest,
    files: vitestFiles,
    tests: describedTests,
    only: failing,
  })),
  {
    name: 'vitest@4 --pool=threads',
    packages: ['vitest@4'],
    command: ['npx', 'vitest', 'run', '--pool=threads', '--reporter=dot'],
    files: vitestFiles,
    tests: describedTests,
    only: failing,
  },
  ...['jest@30', 'jest@29'].map((version) => ({
    name: version,
    packages: [version],
    command: npmTest,
    files: jestFiles,
    tests: describedTests,
    only: failing,
  })),
  ...['mocha@12', 'mocha@10'].map((version) => ({
    name: version,
    packages: [version],
    command: npmTest,
    files: mochaFiles,
    tests: mochaTests,
    only: failing,
  })),
  {
    name: 'mocha@12 --parallel',
    packages: ['mocha@12'],
    command: ['npx', 'mocha', '--parallel'],
    files: mochaFiles,
    tests: describedTests.filter((line) => !line.includes('broken')),
    only: failing,
  },
  {
    name: 'ava',
    packages: ['ava@7'],
    command: npmTest,
    files: {
      'package.json': manifest('ava'),
      'test/a.test.js': `import test from 'ava'
test('x', (t) => t.pass())
test('y', (t) => t.is(1, 2))
test.skip('k', (t) => t.pass())
`,
      ...broken,
    },
    tests: [
      'failed test/a.test.js > y',
      'failed test/broken.test.js > (file)',
      'passed test/a.test.js > x',
      'skipped test/a.test.js > k',
    ],
    only: 'test/a.test.js > y',
  },
  {
    name: 'tap',
    packages: ['tap@21'],
    command: npmTest,
    files: {
      'package.json': manifest('tap run --allow-incomplete-coverage'),
      'test/a.test.js': `import t from 'tap'
t.test('s', async (t) => {
  t.test('x', async (t) => t.pass('fine'))
  t.test('y', async (t) => t.equal(1, 2))
})
t.test('k', { skip: true }, async () => {})
`,
      ...broken,
    },
    tests: [
      'failed test/a.test.js > s',
      'failed test/a.test.js > s > y',
      'failed test/broken.test.js > (file)',
      'passed test/a.test.js > s > x',
      'skipped test/a.test.js > k',
    ],
    only: failing,
  },
]

const others: readonly RunnerProject[] = [
  {
    name: 'go',
    packages: [],
    needs: 'go',
    command: ['go', 'test', './...'],
    files: {
      'go.mod': 'module example.com/shop\n\ngo 1.19\n',
      'pkg/add.go': 'package pkg\n\nfunc Add(a, b int) int { return a + b }\n',
      'pkg/add_test.go': `package pkg

import "testing"

func TestX(t *testing.T) { if Add(1, 2) != 3 { t.Fatal("no") } }
func TestY(t *testing.T) { if Add(1, 2) != 4 { t.Fatal("want 4") } }
func TestK(t *testing.T) { t.Skip("later") }
func TestS(t *testing.T) { t.Run("a", func(t *testing.T) {}) }
`,
      'bad/bad.go': 'package bad\n',
      'bad/bad_test.go':
        'package bad\n\nimport "testing"\n\nfunc TestX(t *testing.T) { Missing() }\n',
    },
    tests: [
      'failed bad/bad_test.go > (file)',
      'failed pkg/add_test.go > TestY',
      'passed pkg/add_test.go > TestS',
      'passed pkg/add_test.go > TestX',
      'skipped pkg/add_test.go > TestK',
    ],
    only: 'pkg/add_test.go > TestY',
  },
  {
    name: 'cargo',
    packages: [],
    needs: 'cargo',
    command: ['cargo', 'test', '--offline'],
    files: {
      'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': `/// \`\`\`
/// assert_eq!(shop::add(1, 2), 3);
/// \`\`\`
pub fn add(a: i32, b: i32) -> i32 { a + b }
pub mod deep;
#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn x() { assert_eq!(add(1, 2), 3); }
    #[test] fn y() { assert_eq!(add(1, 2), 4); }
    #[test] #[ignore] fn k() {}
}
`,
      'src/deep.rs': '#[cfg(test)]\nmod tests { #[test] fn x() {} }\n',
      'tests/it.rs': '#[test]\nfn whole() { assert_eq!(shop::add(2, 2), 4); }\n',
    },
    tests: [
      'failed src/lib.rs > tests > y',
      'passed src/deep.rs > deep > tests > x',
      'passed src/lib.rs > tests > x',
      'passed tests/it.rs > whole',
      'skipped src/lib.rs > tests > k',
    ],
    only: 'src/lib.rs > tests > y',
  },
]

export const runnerProjects: readonly RunnerProject[] = [
  ...javaScript,
  ...pythonProjects,
  ...others,
]
