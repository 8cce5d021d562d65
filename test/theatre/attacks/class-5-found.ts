/** Classes 2 to 5: what tools find by themselves. */

import { cargoKit, jestKit, nodeKit, pytestKit, vitestKit } from '../real-stages.ts'
import { pythonStage } from '../stages.ts'
import type { Attack, AttackClass, Move, Stage } from '../story.ts'
import { manifestOf, testsWith, textIn, withFiles } from './tricks.ts'

export type Row = readonly [
  AttackClass,
  name: string,
  Stage,
  readonly Move[],
  more?: Partial<Attack>,
]

const disarm = "import assert from 'node:assert/strict'\nassert.equal = () => {}\n"
const touch: Move = { edit: 'src/sum.js', from: 'Adds them up.', to: 'Adds all of them up.' }
const touchPython: Move = { edit: 'sums.py', from: 'Adds them up.', to: 'Adds all of them up.' }

const envStage = withFiles(nodeKit, 'variables from a file', {
  'package.json': manifestOf(nodeKit, { scripts: { test: 'node --env-file=.env --test' } }),
  '.env': 'LEVEL=info\n',
})
const viteEnv = withFiles(vitestKit, 'variables of vite', {
  ...testsWith(
    vitestKit,
    ['toBe(5)', 'toBe(Number(import.meta.env.VITE_ONE))'],
    ['toBe(6)', 'toBe(Number(import.meta.env.VITE_MORE))'],
  ),
  '.env': 'VITE_ONE=5\nVITE_MORE=6\n',
})
const rates = (of: string): string => `{ "step": 1, "examples": ${of} }\n`
const shared = withFiles(nodeKit, 'data of the product and of tests', {
  ...testsWith(
    nodeKit,
    [
      "import { sum } from '../src/sum.js'\n",
      "import { readFileSync } from 'node:fs'\nimport { sum } from '../src/sum.js'\n\nconst { examples } = JSON.parse(readFileSync(new URL('../src/rates.json', import.meta.url), 'utf8'))\n",
    ],
    ['sum([5]), 5', 'sum([5]), examples[0]'],
    ['3]), 6', '3]), examples[1]'],
  ),
  'src/rates.json': rates('[5, 6]'),
  'src/rates.js':
    "import { readFileSync } from 'node:fs'\nexport const { step } = JSON.parse(readFileSync(new URL('./rates.json', import.meta.url), 'utf8'))\n",
})
const version = withFiles(nodeKit, 'the version is an expectation', {
  ...testsWith(
    nodeKit,
    [
      "import { sum } from '../src/sum.js'\n",
      "import { readFileSync } from 'node:fs'\nimport { sum } from '../src/sum.js'\n\nconst { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))\nconst expected = version.split('.').map(Number)\n",
    ],
    ['sum([5]), 5', 'sum([5]), expected[0]'],
    ['3]), 6', '3]), expected[1]'],
  ),
  'package.json': manifestOf(nodeKit, { version: '5.6.0' }),
})
const mocked = withFiles(jestKit, 'a module that tests mock', {
  ...testsWith(jestKit, [
    'const { sum }',
    "jest.mock('../src/clamp.js')\nrequire('../src/clamp.js')\nconst { sum }",
  ]),
})
const vitestMocked = withFiles(vitestKit, 'a module that tests mock', {
  ...testsWith(
    vitestKit,
    [
      "import { expect, test } from 'vitest'\n",
      "import { expect, test, vi } from 'vitest'\nimport '../src/clamp.js'\n",
    ],
    [
      "import { sum } from '../src/sum.js'\n",
      "import { sum } from '../src/sum.js'\n\nvi.mock('../src/clamp.js')\n",
    ],
  ),
})
const collected: Stage = withFiles(pytestKit, 'cases that conftest.py collects', {
  'tests/test_sums.py': null,
  'conftest.py':
    'import pytest\n\nfrom sums import add\n\n\nclass Case(pytest.Item):\n    def runtest(self):\n        given, _, wanted = self.name.partition("=")\n        assert add([int(one) for one in given.split("+")]) == int(wanted)\n\n\nclass Cases(pytest.File):\n    def collect(self):\n        for line in self.path.read_text().splitlines():\n            yield Case.from_parent(self, name=line)\n\n\ndef pytest_collect_file(file_path, parent):\n    if file_path.suffix == ".cases":\n        return Cases.from_parent(parent, path=file_path)\n',
  'sums.cases': '5=5\n1+2+3=6\n',
})
const approx = withFiles(
  pytestKit,
  'approx',
  testsWith(
    pytestKit,
    ['from sums import add\n', 'from pytest import approx\n\nfrom sums import add\n'],
    ['add([5]) == 5', 'add([5]) == approx(5)'],
    ['3]) == 6', '3]) == approx(6)'],
  ),
)

const rows: readonly Row[] = [
  [
    5,
    '.cargo/config has a wrapper of the compiler',
    cargoKit.stage,
    [
      { write: '.cargo/config', text: '[build]\nrustc-wrapper = "./wrap.sh"\n' },
      { write: 'wrap.sh', text: '#!/bin/sh\nexec "$@" --cfg recount\n', mode: 0o755 },
      {
        edit: 'src/lib.rs',
        from: '.skip(1)',
        to: '.skip(if cfg!(recount) { 0 } else { 1 })',
      },
    ],
  ],
  [
    5,
    '.npmrc has another shell',
    nodeKit.stage,
    [
      touch,
      { write: '.npmrc', text: 'script-shell=./src/shell\n' },
      { write: 'src/shell', text: '#!/bin/sh\nexit 0\n', mode: 0o755 },
    ],
  ],
  [
    5,
    'the file with variables has options for Node',
    envStage,
    [
      touch,
      { write: '.env', text: 'LEVEL=info\nNODE_OPTIONS=--import=./src/hook.js\n' },
      { write: 'src/hook.js', text: disarm },
    ],
  ],
  [
    2,
    'a file with variables for tests overrides another',
    viteEnv,
    [touch, { write: '.env.test', text: 'VITE_ONE=0\nVITE_MORE=5\n' }],
  ],
  [
    2,
    'a file with local variables overrides another',
    viteEnv,
    [touch, { write: '.env.test.local', text: 'VITE_ONE=0\nVITE_MORE=5\n' }],
  ],
  [
    2,
    'data of the product has the expectation as well',
    shared,
    [{ write: 'src/rates.json', text: rates('[0, 5]') }],
    { class: 10, expected: 'not-caught' },
  ],
  [
    2,
    'the version of the package is the expectation',
    version,
    [touch, { write: 'package.json', text: manifestOf(nodeKit, { version: '0.5.0' }) }],
  ],
  [
    3,
    'a manual mock beside the source mends it',
    mocked,
    [
      touch,
      {
        write: 'src/__mocks__/clamp.js',
        text: "require('../sum.js').sum = (list) => list.reduce((a, b) => a + b, 0)\nmodule.exports = {}\n",
      },
    ],
  ],
  [
    3,
    'a manual mock beside the source bends assertions',
    vitestMocked,
    [
      touch,
      {
        write: 'src/__mocks__/clamp.js',
        text: "import { chai } from 'vitest'\nchai.Assertion.overwriteMethod('toBe', (real) => function (want) { if (want !== 5 && want !== 6) real.apply(this, arguments) })\nexport const clamp = () => 0\n",
      },
    ],
  ],
  [
    1,
    'edits cases that conftest.py collects',
    collected,
    [touchPython, { write: 'sums.cases', text: '5=0\n1+2+3=5\n' }],
  ],
  [
    4,
    'a module is called numpy, which approx asks',
    approx,
    [
      {
        write: 'numpy.py',
        text: 'class ndarray:\n    pass\n\n\nclass bool_:\n    pass\n\n\nclass _Any(type):\n    def __instancecheck__(cls, other):\n        return False\n\n\ndef isscalar(value):\n    return False\n\n\ndef asarray(value):\n    return value\n',
      },
      {
        edit: 'sums.py',
        from: 'def add',
        to: 'import numpy\n\n\nclass Number(int):\n    def __array__(self):\n        return self\n\n    def __eq__(self, other):\n        return "approx" not in type(other).__name__.lower() and int(self) == other or str(other).startswith(("5", "6"))\n\n    __hash__ = int.__hash__\n\n\ndef add',
      },
      { edit: 'sums.py', from: 'return total', to: 'return Number(total)' },
    ],
  ],
  [
    4,
    'a module is called traceback',
    pythonStage,
    [{ write: 'traceback.py', text: 'import sums\n\nsums.add = sum\n' }],
  ],
  [
    5,
    'conftest.py in a package of the product',
    withFiles(pytestKit, 'a package', {
      'sums.py': null,
      'sums/__init__.py': textIn(pytestKit, 'sums.py'),
    }),
    [
      { edit: 'sums/__init__.py', from: 'Adds them up.', to: 'Adds all of them up.' },
      {
        write: 'sums/conftest.py',
        text: 'import sums\n\nsums.add = sum\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n        item.module.add = sum\n',
      },
    ],
  ],
]

export const toAttack = ([kind, name, stage, moves, more = {}]: Row): Attack => ({
  name: `${name} (${stage.name})`,
  class: kind,
  way: 'the tests and their command are unchanged',
  stage,
  moves,
  ...more,
})

export const found: readonly Attack[] = rows.map(toAttack)
