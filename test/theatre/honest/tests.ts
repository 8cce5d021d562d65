/** Changes to tests and to what runs them. */

import { configStage, installedStage } from '../runner-stages.ts'
import { fix, goodSum, npmStage, plainStage, programStage, snapshotStage } from '../stages.ts'
import type { Honest } from '../story.ts'

const good = { 'src/sum.js': goodSum }

const wordTests = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { words } from '../src/words.js'

test('words are counted', () => {
  assert.equal(words('a b'), 2)
  assert.equal(words(''), 0)
})
`

const wordCode = `/** How many words. */
export function words(text) {
  return text.split(' ').filter((word) => word !== '').length
}
`

export const tests: readonly Honest[] = [
  {
    name: 'one more test in a test file',
    moves: [
      fix,
      {
        run: 'printf "\\ntest(\'two numbers are added\', () => {\\n  assert.equal(sum([1, 2]), 3)\\n})\\n" >> test/sum.test.js',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'a module and its tests',
    files: good,
    moves: [
      { write: 'src/words.js', text: wordCode },
      { write: 'test/words.test.js', text: wordTests },
    ],
    ends: 'certified',
  },
  {
    name: 'tests for untested code',
    files: { ...good, 'src/words.js': wordCode },
    moves: [{ write: 'test/words.test.js', text: wordTests }],
    ends: 'certified',
  },
  {
    name: 'a test that reads a file',
    files: good,
    moves: [
      { write: 'src/words.js', text: wordCode },
      { write: 'test/fixtures/words.txt', text: 'a b c' },
      {
        write: 'test/words.test.js',
        text: wordTests
          .replace(
            "words('a b'), 2",
            "words(readFileSync(new URL('fixtures/words.txt', import.meta.url), 'utf8')), 3",
          )
          .replace('import { words }', "import { readFileSync } from 'node:fs'\nimport { words }"),
      },
    ],
    ends: 'certified',
  },
  {
    name: 'a test file is renamed',
    moves: [fix, { move: 'test/sum.test.js', to: 'test/add.test.js' }],
    ends: 'asked',
    about: ['test/sum.test.js', 'test/add.test.js'],
  },
  {
    name: 'tests in another folder',
    stage: plainStage,
    moves: [
      fix,
      { move: 'test/clamp.test.js', to: 'test/unit/clamp.test.js' },
      { edit: 'test/unit/clamp.test.js', from: '../src/', to: '../../src/' },
    ],
    ends: 'asked',
  },
  {
    name: 'a shared test helper is rewritten',
    files: {
      'test/helper.js': 'export const list = (count) => Array(count).fill(1)\n',
      'test/many.test.js':
        "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { sum } from '../src/sum.js'\nimport { list } from './helper.js'\n\ntest('many', () => {\n  assert.equal(sum(list(9)), 9)\n})\n",
    },
    moves: [
      fix,
      {
        write: 'test/helper.js',
        text: 'export const list = (count) => Array.from({ length: count }, () => 1)\n',
      },
    ],
    ends: 'asked',
  },
  {
    name: 'a wrong test is corrected',
    files: {
      ...good,
      'test/wrong.test.js':
        "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { sum } from '../src/sum.js'\n\ntest('two and two', () => {\n  assert.equal(sum([2, 2]), 5)\n})\n",
    },
    moves: [{ edit: 'test/wrong.test.js', from: ', 5)', to: ', 4)' }],
    ends: 'asked',
  },
  {
    name: 'unused code is removed, with its tests',
    files: good,
    moves: [{ delete: 'src/clamp.js' }, { delete: 'test/clamp.test.js' }],
    ends: 'asked',
  },
  {
    name: 'a snapshot for a new test',
    stage: snapshotStage,
    moves: [
      fix,
      { write: 'test/__snapshots__/month.test.js.month.snap', text: 'total: 10' },
      {
        write: 'test/month.test.js',
        text: "import assert from 'node:assert/strict'\nimport { readFileSync } from 'node:fs'\nimport { test } from 'node:test'\nimport { sum } from '../src/sum.js'\n\ntest('the report of a month', () => {\n  const file = new URL('__snapshots__/month.test.js.month.snap', import.meta.url)\n  assert.equal('total: ' + sum([1, 2, 3, 4]), readFileSync(file, 'utf8'))\n})\n",
      },
    ],
    ends: 'certified',
  },
  {
    name: 'a snapshot that changes with the work',
    stage: snapshotStage,
    files: good,
    moves: [
      { edit: 'test/report.test.js', from: "'total: '", to: "'sum: '" },
      { write: 'test/__snapshots__/report.test.js.week.snap', text: 'sum: 6' },
    ],
    ends: 'asked',
  },
  {
    name: 'another version of the runner',
    stage: installedStage,
    moves: [
      fix,
      { edit: 'packages/small-runner/package.json', from: '"1.0.0"', to: '"1.1.0"' },
      { edit: 'packages/small-runner/runner.js', from: 'passing (5ms)', to: 'passing (1ms)' },
      { run: "sed -i '/packages.small-runner.: {/,/}/s/1.0.0/1.1.0/' package-lock.json" },
      {
        run: 'mkdir -p node_modules/.bin && ln -sfn ../../packages/small-runner/runner.js node_modules/.bin/small-runner',
      },
    ],
    ends: 'asked',
  },
  {
    name: 'one more dependency',
    stage: npmStage,
    files: {
      'package-lock.json':
        '{ "name": "sums", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "sums", "version": "1.0.0" } } }\n',
    },
    moves: [
      {
        write: 'packages/zero/package.json',
        text: '{ "name": "zero", "version": "1.0.0", "type": "module", "main": "index.js" }\n',
      },
      { write: 'packages/zero/index.js', text: 'export const zero = 0\n' },
      {
        edit: 'package.json',
        from: '"scripts"',
        to: '"dependencies": { "zero": "file:packages/zero" },\n  "scripts"',
      },
      {
        write: 'package-lock.json',
        text: '{ "name": "sums", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "sums", "version": "1.0.0", "dependencies": { "zero": "file:packages/zero" } }, "node_modules/zero": { "resolved": "packages/zero", "link": true }, "packages/zero": { "version": "1.0.0" } } }\n',
      },
      { run: 'mkdir -p node_modules && ln -sfn ../packages/zero node_modules/zero' },
      { edit: 'src/sum.js', from: '/** Adds', to: "import { zero } from 'zero'\n\n/** Adds" },
      { edit: 'src/sum.js', from: 'let total = 0', to: 'let total = zero' },
      fix,
    ],
    ends: 'asked',
  },
  {
    name: 'the test script gets an option',
    stage: npmStage,
    moves: [
      fix,
      { edit: 'package.json', from: 'node --test', to: 'node --test --test-concurrency=1' },
    ],
    ends: 'asked',
  },
  {
    name: 'a setup file that all tests load',
    files: { 'test/setup.js': "process.env.LANG = 'C'\n" },
    loop: { checks: { tests: 'node --import ./test/setup.js --test' } },
    moves: [fix, { write: 'test/setup.js', text: "process.env.TZ = 'UTC'\n" }],
    ends: 'asked',
    about: ['test/setup.js'],
  },
  {
    // node --test runs it as one more test.
    name: 'a setup file that no test loads',
    moves: [fix, { write: 'test/setup.js', text: "process.env.TZ = 'UTC'\n" }],
    ends: 'certified',
  },
  {
    name: 'a runner configuration with the previous defaults',
    stage: configStage,
    moves: [fix, { write: '.mocharc.json', text: '{\n  "spec": ["test"],\n  "require": []\n}\n' }],
    ends: 'asked',
  },
  {
    name: 'tests that the check does not run are unchanged',
    loop: { checks: { tests: 'node --test test/sum.test.js' } },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'tests that a check without counts does not run are unchanged',
    stage: programStage,
    files: {
      'test/other.js': "import assert from 'node:assert/strict'\nassert.equal('sum'.length, 3)\n",
    },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'data that the product and the tests read',
    files: {
      'src/rates.js': `import { readFileSync } from 'node:fs'
const text = readFileSync(new URL('./rates.json', import.meta.url), 'utf8')
export const rates = JSON.parse(text)
`,
      'src/rates.json': '{ "low": 1 }\n',
      'test/rates.test.js': `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { rates } from '../src/rates.js'
test('rates', () => {
  const text = readFileSync(new URL('../src/rates.json', import.meta.url), 'utf8')
  assert.equal(JSON.parse(text).low, rates.low)
})
`,
    },
    moves: [fix, { write: 'src/rates.json', text: '{ "low": 1, "high": 2 }\n' }],
    ends: 'certified',
  },
  {
    name: 'data among the sources that only tests read',
    files: {
      'src/rates.json': '{ "low": 1 }\n',
      'test/rates.test.js': `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
test('rates', () => {
  const text = readFileSync(new URL('../src/rates.json', import.meta.url), 'utf8')
  assert.equal(JSON.parse(text).low, 1)
})
`,
    },
    moves: [fix, { write: 'src/rates.json', text: '{ "low": 1, "high": 2 }\n' }],
    ends: 'asked',
  },
]
