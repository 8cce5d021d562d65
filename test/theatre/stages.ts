/** Projects with one real defect each, and their checks. */

import type { Files, Move, Stage } from './story.ts'

const broken = `/** Adds them up. */
export function sum(list) {
  let total = 0
  for (const number of list.slice(1)) total += number
  return total
}
`
/** What `sum` should be. */
export const goodSum: string = broken.replace('list.slice(1)', 'list.slice(0)')

export const fix: Move = { edit: 'src/sum.js', from: 'list.slice(1)', to: 'list.slice(0)' }

export const sumTests = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from '../src/sum.js'

test('nothing adds up to nothing', () => {
  assert.equal(sum([]), 0)
})

test('a number is its own sum', () => {
  assert.equal(sum([5]), 5)
})

test('numbers are added', () => {
  assert.equal(sum([1, 2, 3]), 6)
})
`

const clampTests = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clamp } from '../src/clamp.js'

test('what is between stays', () => {
  assert.equal(clamp(2, 1, 3), 2)
})

test('what is outside does not', () => {
  assert.equal(clamp(0, 1, 3), 1)
  assert.equal(clamp(9, 1, 3), 3)
})
`

export const projectFiles: Files = {
  'package.json': `${JSON.stringify({ name: 'sums', version: '1.0.0', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'README.md': '# Sums\n\nA loop that is done says LOOP_COMPLETE.\n',
  '.gitignore': 'node_modules/\n.cache/\ndist/\n',
  'src/sum.js': broken,
  'src/clamp.js': `/** Within the two. */
export function clamp(value, low, high) {
  if (value < low) return low
  return value > high ? high : value
}
`,
  'test/sum.test.js': sumTests,
  'test/clamp.test.js': clampTests,
}

export const manifest = (more: object): string =>
  `${JSON.stringify({ name: 'sums', version: '1.0.0', private: true, type: 'module', ...more }, null, 2)}\n`

export const plainStage: Stage = { name: 'node --test', fix: [fix] }

export const npmStage: Stage = {
  name: 'npm test',
  loop: { checks: { tests: 'npm test' } },
  fix: [fix],
}

/** No runner: a program that exits with 0 unless an expectation failed, and prints no counts. */
export const programStage: Stage = {
  name: 'a program that asserts',
  files: {
    'test/sum.test.js': null,
    'test/clamp.test.js': null,
    'test/all.js': `import assert from 'node:assert/strict'
import { clamp } from '../src/clamp.js'
import { sum } from '../src/sum.js'

assert.equal(clamp(2, 1, 3), 2)
assert.equal(clamp(9, 1, 3), 3)
assert.equal(sum([]), 0)
assert.equal(sum([5]), 5)
assert.equal(sum([1, 2, 3]), 6)
`,
  },
  loop: { checks: { tests: 'node test/all.js' } },
  fix: [fix],
}

/** A script in the tree that the check names, which reads another. */
export const scriptStage: Stage = {
  name: 'a script of the project',
  files: {
    'scripts/check.sh': '#!/bin/sh\n. ./scripts/settings.sh\nexec node --test $tests\n',
    'scripts/settings.sh': 'tests=test/\n',
  },
  executables: ['scripts/check.sh'],
  loop: { checks: { tests: './scripts/check.sh' } },
  fix: [fix],
}

/** Tests look at the output of a build, which rebuilds only what is newer. */
export const buildStage: Stage = {
  name: 'a build and its tests',
  files: {
    'test/clamp.test.js': clampTests.replace('../src/', '../dist/'),
    'test/sum.test.js': sumTests.replace('../src/', '../dist/'),
    'scripts/build.js': `import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
mkdirSync('dist', { recursive: true })
for (const file of readdirSync('src')) {
  const [from, to] = ['src/' + file, 'dist/' + file]
  if (!existsSync(to) || statSync(to).mtimeMs < statSync(from).mtimeMs) cpSync(from, to)
}
`,
  },
  loop: {
    checks: { build: { run: 'node scripts/build.js', outputs: ['dist'] }, tests: 'node --test' },
  },
  fix: [fix],
}

/** A test that compares with recorded output. */
export const snapshotStage: Stage = {
  name: 'a recorded expectation',
  files: {
    'test/report.test.js': `import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { sum } from '../src/sum.js'

function matchesSnapshot(name, value) {
  const file = new URL('__snapshots__/report.test.js.' + name + '.snap', import.meta.url)
  if (!existsSync(file)) return writeFileSync(file, value)
  assert.equal(value, readFileSync(file, 'utf8'))
}

test('the report of a week', () => {
  matchesSnapshot('week', 'total: ' + sum([1, 2, 3]))
})
`,
    'test/__snapshots__/report.test.js.week.snap': 'total: 6',
    'test/sum.test.js': null,
  },
  fix: [fix],
}

export const lintStage: Stage = {
  name: 'a linter with a list of exclusions',
  files: {
    'src/sum.js': broken
      .replace('list.slice(1)', 'list.slice(0)')
      .replace('let total', 'debugger\n  let total'),
    'tools/lint.js': `import { existsSync, readdirSync, readFileSync } from 'node:fs'
const left = existsSync('.eslintignore') ? readFileSync('.eslintignore', 'utf8').split('\\n') : []
const rules = JSON.parse(readFileSync('.eslintrc.json', 'utf8')).rules
const files = readdirSync('src').filter((file) => !left.includes('src/' + file))
const bad = files.filter((file) => readFileSync('src/' + file, 'utf8').includes('debugger'))
if (rules['no-debugger'] === 'error' && bad.length > 0) {
  console.log('no-debugger: ' + bad.join(', '))
  process.exit(1)
}
`,
    '.eslintrc.json': '{ "rules": { "no-debugger": "error" } }\n',
  },
  loop: { checks: { lint: 'node tools/lint.js', tests: 'node --test' } },
  fix: [{ edit: 'src/sum.js', from: 'debugger\n  ', to: '' }],
}

export const makeStage: Stage = {
  name: 'make',
  files: { Makefile: '.PHONY: test\ntest:\n\tnode --test\n' },
  loop: { checks: { tests: 'make test' } },
  fix: [fix],
}

export const pythonStage: Stage = {
  name: 'unittest of Python',
  files: {
    ...Object.fromEntries(Object.keys(projectFiles).map((path) => [path, null])),
    'sums.py':
      'def add(numbers):\n    total = 0\n    for number in numbers[1:]:\n        total += number\n    return total\n',
    'tests/__init__.py': '',
    'tests/test_sums.py': `import unittest
from sums import add


class AddTest(unittest.TestCase):
    def test_nothing(self):
        self.assertEqual(add([]), 0)

    def test_numbers(self):
        self.assertEqual(add([1, 2, 3]), 6)


if __name__ == '__main__':
    unittest.main()
`,
    '.gitignore': '__pycache__/\n',
  },
  loop: { checks: { tests: 'python3 -m unittest discover -s tests -t .' } },
  fix: [{ edit: 'sums.py', from: 'numbers[1:]', to: 'numbers' }],
}

/** Without a repository. */
export const folderStage: Stage = { name: 'a folder without git', isFolder: true, fix: [fix] }

/** The loop file is in the repository, as usual. */
export const ownLoopStage: Stage = {
  name: 'a loop file in the repository',
  loopFile: 'loops/fix.yaml',
  fix: [fix],
}
