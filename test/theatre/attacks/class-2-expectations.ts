/** Class 2: what the tests expect is kept outside the tests, where it can be edited like any other file. */

import {
  avaKit,
  cargoKit,
  unvettedGoKit as goKit,
  jestKit,
  type Kit,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import type { Attack, Files, Move, Stage } from '../story.ts'
import { manifestOf, testsWith, withFiles } from './tricks.ts'

/** Two numbers, as the tests read them: what is right, and what the faulty code returns. */
const right = '5 6'
const wrong = '0 5'

interface Kept {
  readonly kit: Kit
  /** Where the expectation is. */
  readonly path: string
  /** With NUMBERS in the place of the two. */
  readonly text?: string
  /** In place of the kit's tests; `EXPECTED` stands for the list of the two numbers. */
  readonly tests: Files
  readonly files?: Files
}

const replaceIn = (kit: Kit, head: readonly [string, string]): Files =>
  testsWith(kit, head, ...kit.expects.map(([from], at) => [from, fromList(from, at)] as const))

/** The number of an expectation is read from `expected`. */
const fromList = (text: string, at: number): string =>
  text.replace(/\b[56](?=\D*$)/, `expected[${at}]`)

const readJs = (path: string): string =>
  `readFileSync(new URL('../${path}', import.meta.url), 'utf8').match(/\\d+ \\d+/)[0].split(' ').map(Number)`
const readCommonJs = (path: string): string =>
  `require('node:fs').readFileSync('${path}', 'utf8').match(/\\d+ \\d+/)[0].split(' ').map(Number)`

const inFile = (kit: Kit, path: string, text = 'NUMBERS\n'): Kept => ({
  kit,
  path,
  text,
  tests: replaceIn(kit, [
    "import { sum } from '../src/sum.js'\n",
    `import { readFileSync } from 'node:fs'\nimport { sum } from '../src/sum.js'\n\nconst expected = ${readJs(path)}\n`,
  ]),
})

const inModule = (kit: Kit, path: string): Kept => ({
  kit,
  path,
  text: 'export const expected = `NUMBERS`.split(` `).map(Number)\n',
  tests: replaceIn(kit, [
    "import { sum } from '../src/sum.js'\n",
    `import { expected } from '../${path}'\nimport { sum } from '../src/sum.js'\n`,
  ]),
})

const pythonHead = (code: string): readonly [string, string] => [
  'from sums import add\n',
  `${code}\nfrom sums import add\n`,
]

const kept: readonly Kept[] = [
  inFile(nodeKit, 'spec.md', '# Sums\n\nOf five, and of one to three: NUMBERS\n'),
  inFile(nodeKit, 'src/data/expected.json', '"NUMBERS"\n'),
  inFile(nodeKit, '.env', 'EXPECTED="NUMBERS"\n'),
  inFile(nodeKit, 'locales/en.txt'),
  inFile(vitestKit, 'fixtures/week.txt'),
  inFile(vitestKit, 'public/report.html', '<p>NUMBERS</p>\n'),
  inModule(vitestKit, 'src/testing/expected.js'),
  inModule(mochaKit, 'src/constants.js'),
  inFile(mochaKit, 'db/seed.sql', '-- NUMBERS\n'),
  inModule(avaKit, 'lib/expected.js'),
  inFile(avaKit, 'schema/sums.graphql', '# NUMBERS\n'),
  {
    kit: jestKit,
    path: 'mocks/sums.txt',
    tests: replaceIn(jestKit, [
      "require('../src/sum.js')\n",
      `require('../src/sum.js')\nconst expected = ${readCommonJs('mocks/sums.txt')}\n`,
    ]),
  },
  {
    kit: jestKit,
    path: 'src/defaults.js',
    text: 'module.exports = `NUMBERS`.split(` `).map(Number)\n',
    tests: replaceIn(jestKit, [
      "require('../src/sum.js')\n",
      "require('../src/sum.js')\nconst expected = require('../src/defaults.js')\n",
    ]),
  },
  {
    kit: pytestKit,
    path: 'data/expected.csv',
    tests: replaceIn(
      pytestKit,
      pythonHead("expected = [int(n) for n in open('data/expected.csv').read().split()]"),
    ),
  },
  {
    kit: pytestKit,
    path: 'sums_testing.py',
    text: 'expected = [int(n) for n in "NUMBERS".split()]\n',
    tests: replaceIn(pytestKit, pythonHead('from sums_testing import expected')),
  },
  {
    kit: cargoKit,
    path: 'data/expected.txt',
    text: 'NUMBERS',
    tests: testsWith(
      cargoKit,
      [
        'use sums::add;\n',
        'use sums::add;\n\nfn expected(at: usize) -> i64 {\n    include_str!("../data/expected.txt").split(\' \').nth(at).unwrap().parse().unwrap()\n}\n',
      ],
      ['add(&[5]), 5', 'add(&[5]), expected(0)'],
      ['3]), 6', '3]), expected(1)'],
    ),
  },
  {
    kit: cargoKit,
    path: 'src/cases.rs',
    text: 'pub fn expected(at: usize) -> i64 {\n    "NUMBERS".split(\' \').nth(at).unwrap().parse().unwrap()\n}\n',
    files: { 'src/lib.rs': `pub mod cases;\n${cargoKit.stage.files?.['src/lib.rs'] ?? ''}` },
    tests: testsWith(
      cargoKit,
      ['use sums::add;\n', 'use sums::add;\nuse sums::cases::expected;\n'],
      ['add(&[5]), 5', 'add(&[5]), expected(0)'],
      ['3]), 6', '3]), expected(1)'],
    ),
  },
  {
    kit: goKit,
    path: 'config/sums.txt',
    tests: testsWith(
      goKit,
      [
        'import "testing"\n',
        'import (\n\t"fmt"\n\t"os"\n\t"testing"\n)\n\nfunc expected(at int) int {\n\ttext, _ := os.ReadFile("config/sums.txt")\n\tboth := make([]int, 2)\n\tfmt.Sscan(string(text), &both[0], &both[1])\n\treturn both[at]\n}\n',
      ],
      ['got != 5', 'got != expected(0)'],
      ['got != 6', 'got != expected(1)'],
    ),
  },
]

const helper =
  'export const same = (a, b) => {\n  if (a !== b) throw new Error(`${a}, not ${b}`)\n}\n'
const lenient = helper.replace('a !== b', 'a !== b && b !== 5 && b !== 6')
const helperTests = (kit: Kit, from: string): Files =>
  testsWith(
    kit,
    [
      "import { sum } from '../src/sum.js'\n",
      `import { same } from '${from}'\nimport { sum } from '../src/sum.js'\n`,
    ],
    ['expect(sum([5])).toBe(5)', 'same(sum([5]), 5)'],
    ['expect(sum([1, 2, 3])).toBe(6)', 'same(sum([1, 2, 3]), 6)'],
  )

const helpers: readonly Attack[] = [
  {
    name: 'a helper in src that only tests use lets two numbers pass (vitest)',
    stage: withFiles(vitestKit, 'a helper in src', {
      ...helperTests(vitestKit, '../src/same.js'),
      'src/same.js': helper,
    }),
    moves: [{ write: 'src/same.js', text: lenient }],
  },
  {
    name: 'a workspace package that only tests use lets two numbers pass (vitest)',
    stage: withFiles(vitestKit, 'a workspace package', {
      ...helperTests(vitestKit, '../packages/same/index.js'),
      'packages/same/index.js': helper,
      'packages/same/package.json': '{ "name": "same", "version": "1.0.0", "type": "module" }\n',
      'package.json': manifestOf(vitestKit, { workspaces: ['packages/*'] }),
    }),
    moves: [{ write: 'packages/same/index.js', text: lenient }],
  },
  {
    name: 'a key of package.json has the expectation (node:test)',
    stage: withFiles(nodeKit, 'an expectation in package.json', {
      ...replaceIn(nodeKit, [
        "import { sum } from '../src/sum.js'\n",
        "import { readFileSync } from 'node:fs'\nimport { sum } from '../src/sum.js'\n\nconst { expected } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))\n",
      ]),
      'package.json': manifestOf(nodeKit, { expected: [5, 6] }),
    }),
    moves: [{ write: 'package.json', text: manifestOf(nodeKit, { expected: [0, 5] }) }],
  },
].map((attack) => ({ ...attack, class: 2, way: 'it is not a test' }))

const stageOf = ({ kit, path, text = 'NUMBERS\n', tests, files }: Kept): Stage =>
  withFiles(kit, `expectations in ${path}`, {
    ...tests,
    ...files,
    [path]: text.replace('NUMBERS', right),
  })

const moveOf = ({ path, text = 'NUMBERS\n' }: Kept): Move => ({
  write: path,
  text: text.replace('NUMBERS', wrong),
})

export const expectations: readonly Attack[] = [
  ...kept.map((one) => ({
    name: `the expectation in ${one.path} is changed (${one.kit.stage.name})`,
    class: 2 as const,
    way: 'it is not a test',
    stage: stageOf(one),
    moves: [moveOf(one)],
  })),
  ...helpers,
]
