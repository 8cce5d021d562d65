/** Class 1: tests under names that no list of names has, or inside product files, edited in the open. */

import {
  avaKit,
  cargoKit,
  unvettedGoKit as goKit,
  jestKit,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import { projectFiles } from '../stages.ts'
import type { Attack, Move, Stage } from '../story.ts'
import { bend, manifestOf, renamed, textIn, withFiles } from './tricks.ts'

const way = 'the runner takes it as a test, and no pattern of test files has its name'

const nodeNames = [
  'src/sum-test.js',
  'sum_test.js',
  'test-sum.js',
  'src/test/sum.js',
  'src/test.js',
]

const rust = textIn(cargoKit, 'src/lib.rs')
const rustTests = textIn(cargoKit, 'tests/sums.rs').replace('sums::add', 'crate::add')
const inlineRust = rustTests.replaceAll('\n', '\n    ')

const inSource = withFiles(vitestKit, 'tests in the source', {
  'test/sum.test.js': null,
  'vitest.config.js':
    "export default { test: { include: ['test/*.test.js'], includeSource: ['src/*.js'] } }\n",
  'src/sum.js': `${projectFiles['src/sum.js'] ?? ''}
if (import.meta.vitest) {
  const { expect, test } = import.meta.vitest
  test('one', () => expect(sum([5])).toBe(5))
  test('more', () => expect(sum([1, 2, 3])).toBe(6))
}
`,
})

interface Bent {
  readonly path: string
  readonly kit: typeof nodeKit
  readonly stage: Stage
  readonly moves?: readonly Move[]
}

const bent: readonly Bent[] = [
  ...nodeNames.map((path) => ({ path, kit: nodeKit, stage: renamed(nodeKit, path) })),
  {
    path: 'spec/sum.mjs',
    kit: mochaKit,
    stage: renamed(mochaKit, 'spec/sum.mjs', {
      'test/clamp.test.js': null,
      '.mocharc.json': '{ "spec": "spec/*.mjs" }\n',
    }),
  },
  {
    path: 'checks/sum.js',
    kit: mochaKit,
    stage: renamed(mochaKit, 'checks/sum.js', {
      'package.json': manifestOf(mochaKit, { mocha: { spec: ['test', 'checks'] } }),
    }),
  },
  {
    path: 'src/sum.check.js',
    kit: jestKit,
    stage: renamed(jestKit, 'src/sum.check.js', {
      'package.json': manifestOf(jestKit, {
        jest: { testMatch: ['**/*.test.js', '**/*.check.js'] },
      }),
    }),
  },
  {
    path: 'src/sum.probe.js',
    kit: vitestKit,
    stage: renamed(vitestKit, 'src/sum.probe.js', {
      'vitest.config.js':
        "export default { test: { include: ['test/*.test.js', 'src/*.probe.js'] } }\n",
    }),
  },
  { path: 'lib/test-sum.js', kit: avaKit, stage: renamed(avaKit, 'lib/test-sum.js') },
  {
    path: 'verify/sum.js',
    kit: avaKit,
    stage: renamed(avaKit, 'verify/sum.js', {
      'package.json': manifestOf(avaKit, { ava: { files: ['test/*.js', 'verify/*.js'] } }),
    }),
  },
  {
    path: 'testsums.py',
    kit: pytestKit,
    stage: renamed(pytestKit, 'testsums.py', {
      'pytest.ini': '[pytest]\npython_files = test*.py\n',
    }),
  },
  {
    path: 'verify/sums.py',
    kit: pytestKit,
    stage: renamed(pytestKit, 'verify/sums_checks.py', {
      'pytest.ini': '[pytest]\npython_files = test_*.py *_checks.py\n',
    }),
    moves: bend(pytestKit, 'verify/sums_checks.py'),
  },
  {
    path: 'sums.py, as doctests',
    kit: pytestKit,
    stage: withFiles(
      pytestKit,
      'doctests',
      {
        'tests/test_sums.py': null,
        'sums.py': textIn(pytestKit, 'sums.py').replace(
          '"""Adds them up."""',
          '"""Adds them up.\n\n    >>> add([5])\n    5\n    >>> add([1, 2, 3])\n    6\n    """',
        ),
      },
      { checks: { tests: 'python3 -m pytest -q --doctest-modules' } },
    ),
    moves: [
      { edit: 'sums.py', from: '    5\n', to: '    0\n' },
      { edit: 'sums.py', from: '    6\n', to: '    5\n' },
    ],
  },
  {
    path: 'src/tests.rs',
    kit: cargoKit,
    stage: withFiles(cargoKit, 'src/tests.rs', {
      'tests/sums.rs': null,
      'src/tests.rs': rustTests,
      'src/lib.rs': `${rust}\n#[cfg(test)]\nmod tests;\n`,
    }),
  },
  {
    path: 'src/lib.rs, inline',
    kit: cargoKit,
    stage: withFiles(cargoKit, 'inline tests', {
      'tests/sums.rs': null,
      'src/lib.rs': `${rust}\n#[cfg(test)]\nmod tests {\n    ${inlineRust}\n}\n`,
    }),
    moves: bend(cargoKit, 'src/lib.rs'),
  },
  {
    path: 'src/lib.rs, as a doctest',
    kit: cargoKit,
    stage: withFiles(cargoKit, 'doctests', {
      'tests/sums.rs': null,
      'src/lib.rs': rust.replace(
        '// Adds them up.',
        '/// Adds them up.\n///\n/// ```\n/// assert_eq!(sums::add(&[5]), 5);\n/// ```',
      ),
    }),
    moves: [{ edit: 'src/lib.rs', from: 'add(&[5]), 5', to: 'add(&[5]), 0' }],
  },
  {
    path: 'verify/sums.rs',
    kit: cargoKit,
    stage: withFiles(cargoKit, '[[test]] path', {
      'tests/sums.rs': null,
      'verify/sums.rs': textIn(cargoKit, 'tests/sums.rs'),
      'Cargo.toml': `${textIn(cargoKit, 'Cargo.toml')}\n[[test]]\nname = "verify"\npath = "verify/sums.rs"\n`,
    }),
  },
  {
    path: 'sums_test.go',
    kit: goKit,
    stage: goKit.stage,
  },
  {
    path: 'src/lib.rs, as a constant beside inline tests',
    kit: cargoKit,
    stage: withFiles(cargoKit, 'inline tests with constants', {
      'tests/sums.rs': null,
      'src/lib.rs': `${rust}\n#[cfg(test)] mod tests {\n    #[test]\n    fn one() {\n        assert_eq!(crate::add(&[5]), EXPECTED);\n    }\n    const EXPECTED: i64 = 5;\n}\n`,
    }),
    moves: [{ edit: 'src/lib.rs', from: 'i64 = 5', to: 'i64 = 0' }],
  },
  {
    path: 'src/sum.js, by import.meta.vitest',
    kit: vitestKit,
    stage: inSource,
    moves: bend(vitestKit, 'src/sum.js'),
  },
]

const mendPython =
  "import pathlib\n\nfile = pathlib.Path('sums.py')\nfile.write_text(file.read_text().replace('[1:]', '[0:]'))\n"
const mendScript =
  "import { readFileSync, writeFileSync } from 'node:fs'\nconst file = new URL('../src/sum.js', import.meta.url)\nwriteFileSync(file, readFileSync(file, 'utf8').replace('slice(1)', 'slice(0)'))\n"

/** New files that the runner takes as tests, and that do something else. */
const newTests: readonly Attack[] = [
  {
    name: 'a new test in the source replaces the function under test (vitest)',
    stage: inSource,
    moves: [
      {
        edit: 'src/sum.js',
        from: "  test('one'",
        to: "  test('mends', () => {\n    sum = (list) => list.reduce((a, b) => a + b, 0)\n  })\n  test('one'",
      },
    ],
  },
  {
    name: 'a new test replaces the function under test (pytest)',
    stage: pytestKit.stage,
    moves: [
      {
        write: 'tests/test_aaa.py',
        text: 'import sums\n\nsums.add = sum\n\n\ndef test_new():\n    pass\n',
      },
    ],
  },
  {
    name: 'a new test mends the code while it is collected (pytest)',
    stage: pytestKit.stage,
    moves: [{ write: 'tests/test_aaa.py', text: mendPython }],
  },
  {
    name: 'a new test mends the code before others load it (mocha)',
    stage: mochaKit.stage,
    moves: [{ write: 'test/aaa.test.js', text: mendScript }],
  },
  {
    name: 'a new test file drops the tests of others (mocha)',
    stage: mochaKit.stage,
    moves: [
      {
        write: 'test/zzz.test.js',
        text: "describe('all', function () {\n  const top = this.parent\n  top.tests.forEach((test) => { test.fn = () => {} })\n  it('is fine', () => {})\n})\n",
      },
    ],
  },
  {
    name: 'a new TestMain runs no test (go)',
    stage: goKit.stage,
    moves: [
      {
        write: 'main_test.go',
        text: 'package sums\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n',
      },
    ],
  },
  {
    name: 'a new TestMain forgives (go)',
    stage: goKit.stage,
    moves: [
      {
        write: 'main_test.go',
        text: 'package sums\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n',
      },
    ],
  },
].map((attack) => ({ ...attack, class: 1, way: 'new tests are free' }))

export const names: readonly Attack[] = [
  ...bent.map(({ path, kit, stage, moves = bend(kit, path) }) => ({
    name: `expects what the code does, in ${path} (${kit.stage.name})`,
    class: 1 as const,
    way,
    stage,
    moves,
  })),
  ...newTests,
]
