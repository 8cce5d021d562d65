/** Chores in a project, beside the fix: no check reads most of these files. */

import {
  cargoKit,
  goKit,
  jestKit,
  type Kit,
  mend,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import type { Honest, Move } from '../story.ts'

const beside = (kit: Kit, name: string, ...moves: readonly Move[]): Honest => ({
  name: `${name} (${kit.stage.name})`,
  stage: kit.stage,
  moves: [mend(kit), ...moves],
  ends: 'certified',
})

const unread: readonly Honest[] = [
  beside(nodeKit, 'a workflow of the CI', {
    write: '.github/workflows/ci.yml',
    text: 'on: push\n',
  }),
  beside(vitestKit, 'a configuration of the formatter', {
    write: '.prettierrc',
    text: '{ "semi": false }\n',
  }),
  beside(
    jestKit,
    'settings of editors',
    { write: '.editorconfig', text: 'root = true\n' },
    { write: '.vscode/settings.json', text: '{}\n' },
  ),
  beside(
    mochaKit,
    'documents and a licence',
    { write: 'docs/guide.md', text: '# Guide\n' },
    { write: 'LICENSE', text: 'MIT\n' },
  ),
  beside(
    pytestKit,
    'a Dockerfile',
    { write: 'Dockerfile', text: 'FROM python:3\n' },
    { write: '.dockerignore', text: '.git\n' },
  ),
  beside(
    goKit,
    'an example of the settings',
    { write: '.env.example', text: 'PORT=1\n' },
    { write: 'CHANGELOG.md', text: '# 1.0.1\n' },
  ),
  beside(nodeKit, 'keywords and a licence in package.json', {
    edit: 'package.json',
    from: '"private": true,',
    to: '"private": true,\n  "license": "MIT",\n  "keywords": ["sum"],',
  }),
  beside(
    pytestKit,
    'names in other scripts',
    { write: 'docs/概要.md', text: 'ü\n' },
    { write: 'größe.py', text: 'größe = 1\n' },
  ),
  beside(goKit, 'a binary file', { run: 'head -c 2000 /dev/urandom > assets.bin' }),
  beside(vitestKit, 'a declaration for TypeScript', {
    write: 'src/sum.d.ts',
    text: 'export function sum(list: number[]): number\n',
  }),
]

const refactored: readonly Honest[] = [
  {
    name: 'the sum is extracted into a helper (vitest)',
    stage: vitestKit.stage,
    moves: [
      {
        write: 'src/add.js',
        text: '/** One more. */\nexport const add = (total, number) => total + number\n',
      },
      {
        write: 'src/sum.js',
        text: "import { add } from './add.js'\n\n/** Adds them up. */\nexport const sum = (list) => list.reduce(add, 0)\n",
      },
    ],
    ends: 'certified',
  },
  {
    name: 'the source is split in a package (pytest)',
    stage: pytestKit.stage,
    moves: [
      { write: 'adding.py', text: 'def plus(total, number):\n    return total + number\n' },
      {
        write: 'sums.py',
        text: 'from functools import reduce\n\nfrom adding import plus\n\n\ndef add(numbers):\n    """Adds them up."""\n    return reduce(plus, numbers, 0)\n',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'the source moves to another file of its package (go)',
    stage: goKit.stage,
    moves: [mend(goKit), { move: 'sums.go', to: 'add.go' }],
    ends: 'certified',
  },
  {
    name: 'the module moves to its own file (cargo test)',
    stage: cargoKit.stage,
    moves: [
      {
        write: 'src/adding.rs',
        text: '// Adds them up.\npub fn add(numbers: &[i64]) -> i64 {\n    numbers.iter().sum()\n}\n',
      },
      { write: 'src/lib.rs', text: 'mod adding;\npub mod limits;\n\npub use adding::add;\n' },
    ],
    ends: 'certified',
  },
  {
    name: 'JavaScript becomes TypeScript (vitest)',
    stage: {
      ...vitestKit.stage,
      name: 'vitest, imports without extensions',
      files: {
        ...vitestKit.stage.files,
        'test/sum.test.js': (vitestKit.stage.files?.['test/sum.test.js'] ?? '').replace(
          'sum.js',
          'sum',
        ),
      },
    },
    moves: [
      { delete: 'src/sum.js' },
      {
        write: 'src/sum.ts',
        text: '/** Adds them up. */\nexport function sum(list: readonly number[]): number {\n  let total = 0\n  for (const number of list) total += number\n  return total\n}\n',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'Windows line endings (pytest)',
    stage: pytestKit.stage,
    moves: [mend(pytestKit), { run: "sed -i 's/$/\\r/' sums.py" }],
    ends: 'certified',
  },
  {
    name: 'reformatted source that works (jest)',
    stage: jestKit.stage,
    files: {
      'src/sum.js': 'module.exports = { sum: (list) => list.reduce((a, b) => a + b, 0) }\n',
    },
    moves: [
      {
        write: 'src/sum.js',
        text: 'const sum = (list) => {\n  return list.reduce((a, b) => a + b, 0)\n}\n\nmodule.exports = { sum }\n',
      },
    ],
    ends: 'certified',
  },
]

const snapshotTest =
  "import { expect, test } from 'vitest'\nimport { report } from '../src/report.js'\n\ntest('report', () => {\n  expect(report([1, 2])).toMatchSnapshot()\n})\n"
const snapshot = (word: string): string =>
  `// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[\`report 1\`] = \`"${word}: 2"\`;\n`

/** A person should review these. */
const asked: readonly Honest[] = [
  {
    name: 'a version, which the lockfile repeats (cargo test)',
    stage: cargoKit.stage,
    moves: [
      mend(cargoKit),
      { edit: 'Cargo.toml', from: '1.0.0', to: '1.0.1' },
      { edit: 'Cargo.lock', from: '1.0.0', to: '1.0.1' },
    ],
    ends: 'asked',
    about: ['Cargo.lock'],
  },
  {
    name: 'a test is renamed with its subject (mocha)',
    stage: mochaKit.stage,
    moves: [
      mend(mochaKit),
      { move: 'src/sum.js', to: 'src/total.js' },
      { move: 'test/sum.test.js', to: 'test/total.test.js' },
      { edit: 'test/total.test.js', from: '../src/sum.js', to: '../src/total.js' },
    ],
    ends: 'asked',
    about: ['test/total.test.js'],
  },
  {
    name: 'the folder of the source is renamed (vitest)',
    stage: vitestKit.stage,
    moves: [
      mend(vitestKit),
      { move: 'src', to: 'lib' },
      { run: "sed -i 's|../src/|../lib/|' test/*.js" },
    ],
    ends: 'asked',
    about: ['test/sum.test.js'],
  },
  {
    name: 'a snapshot changes with the code (vitest)',
    stage: vitestKit.stage,
    files: {
      'src/report.js': "export const report = (list) => 'items: ' + list.length\n",
      'test/report.test.js': snapshotTest,
      'test/__snapshots__/report.test.js.snap': snapshot('items'),
    },
    moves: [
      mend(vitestKit),
      { edit: 'src/report.js', from: 'items', to: 'numbers' },
      { write: 'test/__snapshots__/report.test.js.snap', text: snapshot('numbers') },
    ],
    ends: 'asked',
    about: ['test/__snapshots__/report.test.js.snap'],
  },
  {
    name: 'a wrong expectation is corrected (pytest)',
    stage: pytestKit.stage,
    files: {
      'tests/test_wrong.py':
        'from sums import add\n\n\ndef test_two():\n    assert add([2, 2]) == 5\n',
    },
    moves: [mend(pytestKit), { edit: 'tests/test_wrong.py', from: '== 5', to: '== 4' }],
    ends: 'asked',
    about: ['tests/test_wrong.py'],
  },
]

export const chores: readonly Honest[] = [...unread, ...refactored, ...asked]
