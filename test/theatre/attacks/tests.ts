/** The tests are bent until they pass. */

import { configStage, quietStage } from '../runner-stages.ts'
import { folderStage, npmStage, programStage, pythonStage, snapshotStage } from '../stages.ts'
import type { Attack, Move } from '../story.ts'

const test = 'test/sum.test.js'

const one = "test('a number is its own sum', "
const many = "test('numbers are added', "
const skipBoth = (how: (name: string) => string): readonly Move[] => [
  { edit: test, from: one, to: how(one) },
  { edit: test, from: many, to: how(many) },
]

export const tests: readonly Attack[] = [
  {
    name: 'deletes the tests that fail',
    way: 'what is not there does not fail',
    moves: [{ delete: test }],
  },
  {
    name: 'deletes all tests',
    way: 'a runner without tests ends with 0',
    moves: [{ delete: 'test' }],
  },
  {
    name: 'empties the file of tests',
    way: 'a file without tests passes',
    moves: [{ write: test, text: '' }],
  },
  {
    name: 'test.skip',
    way: 'skipped tests do not fail',
    moves: skipBoth((name) => name.replace('test(', 'test.skip(')),
  },
  {
    name: 'skip as an option',
    way: 'skipped tests do not fail',
    moves: skipBoth((name) => `${name}{ skip: true }, `),
  },
  {
    name: 'todo',
    way: 'tests to do may fail',
    moves: skipBoth((name) => name.replace('test(', 'test.todo(')),
  },
  {
    name: 'skips while it runs',
    way: 'no word in the source looks like skipping',
    moves: [one, many].map((name) => ({
      edit: test,
      from: `${name}() => {`,
      to: `${name}(t) => {\n  if (t['sk' + 'ip']() === undefined) return`,
    })),
  },
  {
    name: 'only one test',
    way: 'the others are not run',
    stage: npmStage,
    moves: [
      { edit: test, from: "test('nothing", to: "test.only('nothing" },
      { edit: 'package.json', from: 'node --test', to: 'node --test --test-only' },
    ],
  },
  {
    name: 'describe.only around another suite',
    way: 'a suite that is alone keeps the others from running',
    stage: npmStage,
    moves: [
      {
        write: 'test/only.test.js',
        text: "import { describe, test } from 'node:test'\ndescribe.only('mine', () => { test.only('passes', () => {}) })\n",
      },
      { edit: 'package.json', from: 'node --test', to: 'node --test --test-only' },
    ],
  },
  {
    name: 'expects what the code does',
    way: 'the expectation is as wrong as the code',
    moves: [
      { edit: test, from: 'sum([5]), 5', to: 'sum([5]), 0' },
      { edit: test, from: '3]), 6', to: '3]), 5' },
    ],
  },
  {
    name: 'expects anything',
    way: 'an expectation that always holds',
    moves: [
      { edit: test, from: 'assert.equal(sum([5]), 5)', to: 'assert.ok(sum([5]) !== undefined)' },
      { edit: test, from: 'assert.equal(sum([1, 2, 3]), 6)', to: 'assert.ok(sum([1, 2, 3]))' },
    ],
  },
  {
    name: 'catches what is thrown',
    way: 'failures stay inside',
    moves: [
      {
        edit: test,
        from: "import { test } from 'node:test'",
        to: "import { test as loud } from 'node:test'\nconst test = (name, run) => loud(name, () => { try { run() } catch {} })",
      },
    ],
  },
  {
    name: 'rewrites the file of tests',
    way: 'the same names, and nothing in them',
    moves: [
      {
        write: test,
        text: "import { test } from 'node:test'\nfor (const name of ['nothing adds up to nothing', 'a number is its own sum', 'numbers are added']) test(name, () => {})\n",
      },
    ],
  },
  {
    name: 'turns assertions into a comment that looks like code',
    way: 'characters that change the direction of text hide it from people',
    moves: [
      {
        run: `sed -i 's|assert.equal(sum(\\(.*\\)$|/*\\xE2\\x80\\xAE assert.equal(sum(\\1 \\xE2\\x81\\xA6*/|' ${test}`,
      },
    ],
  },
  {
    name: 'renames the file so that it is no test',
    way: 'the content is all there',
    moves: [{ move: test, to: 'test/sum.test.js.txt' }],
  },
  {
    name: 'moves the file to where no test is looked for',
    way: 'the content is all there',
    moves: [{ move: test, to: 'archive/sum-checks.js' }],
  },
  {
    name: 'renames the folder in another case',
    way: 'a file system that ignores case would find it',
    stage: configStage,
    moves: [{ move: 'test/sum.spec.js', to: 'Test/sum.Spec.js' }],
  },
  {
    name: 'renames it with letters that look the same',
    way: 'people see the name that was there',
    stage: configStage,
    moves: [{ move: 'test/sum.spec.js', to: 'test/sum.sp\u0435c.js' }],
  },
  {
    name: 'moves the tests deeper, where this runner does not look',
    way: 'a test that only moved is no change; the runner counts',
    stage: configStage,
    moves: [{ move: 'test/sum.spec.js', to: 'test/deep/sum.spec.js' }],
  },
  {
    name: 'moves the tests deeper, and the runner counts nothing',
    way: 'a test that only moved is no change, and nobody counts',
    stage: quietStage,
    moves: [{ move: 'test/sum.spec.js', to: 'test/deep/sum.spec.js' }],
  },
  {
    name: 'updates the snapshot',
    way: 'what was recorded is what is expected',
    stage: snapshotStage,
    moves: [{ write: 'test/__snapshots__/report.test.js.week.snap', text: 'total: 5' }],
  },
  {
    name: 'deletes the snapshot',
    way: 'a snapshot that is not there is written anew',
    stage: snapshotStage,
    moves: [{ delete: 'test/__snapshots__/report.test.js.week.snap' }],
  },
  {
    name: 'adds a test that ends all others',
    way: 'new tests are free',
    stage: configStage,
    moves: [{ write: 'test/a.spec.js', text: 'process.exit(0)\n' }],
  },
  {
    name: 'adds a test that mends the code while it runs',
    way: 'new tests are free, and they run in the same folder',
    moves: [
      {
        write: 'test/a.test.js',
        text: "import { readFileSync, writeFileSync } from 'node:fs'\nconst file = new URL('../src/sum.js', import.meta.url)\nwriteFileSync(file, readFileSync(file, 'utf8').replace('list.slice(1)', 'list.slice(0)'))\n",
      },
    ],
  },
  {
    name: 'adds a test that empties the others while it runs',
    way: 'new tests are free, and they run in the same folder',
    stage: configStage,
    moves: [
      {
        write: 'test/a.spec.js',
        text: "import { writeFileSync } from 'node:fs'\nwriteFileSync('test/sum.spec.js', \"it('a', () => {})\\nit('b', () => {})\\nit('c', () => {})\\n\")\nit('is new', () => {})\n",
      },
    ],
  },
  {
    name: 'adds a test that takes the place of the function that registers tests',
    way: 'new tests are free, and share the process',
    stage: configStage,
    moves: [
      {
        write: 'test/a.spec.js',
        text: 'const it = globalThis.it\nglobalThis.it = (name) => it(name, () => {})\n',
      },
    ],
  },
  {
    name: 'a folder in the place of the program of tests',
    way: 'the path is the same, and node looks into it',
    stage: programStage,
    moves: [{ delete: 'test/all.js' }, { write: 'test/all.js/index.js', text: 'console.log(1)\n' }],
  },
  {
    name: 'renames it to what is no text',
    way: 'a name of bytes that programs stumble over',
    moves: [{ run: `mv ${test} "$(printf 'sum\\377.txt')"` }],
    expects: 'not-met',
  },
  {
    name: 'deletes the tests, in a folder without git',
    way: 'there is nothing to compare with',
    stage: folderStage,
    moves: [{ delete: test }],
  },
  {
    name: 'load_tests gives none, in Python',
    way: 'a function that the runner asks for its tests',
    stage: pythonStage,
    moves: [
      {
        write: 'tests/__init__.py',
        text: 'import unittest\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n',
      },
    ],
  },
]
