/** Classes 1 and 2: what tests inside product files, or beside them in the same package, rely on. */

import { cargoKit, unvettedGoKit as goKit, jestKit, pytestKit, vitestKit } from '../real-stages.ts'
import { projectFiles } from '../stages.ts'
import type { Attack, Files, Stage } from '../story.ts'
import { manifestOf, testsWith, textIn, withFiles } from './tricks.ts'

const rust = textIn(cargoKit, 'src/lib.rs')
const python = textIn(pytestKit, 'sums.py')
const javaScript = projectFiles['src/sum.js'] ?? ''

const inRust = (around: string, body: string): Files => ({
  'tests/sums.rs': null,
  'src/lib.rs': `${rust}\n${around}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        ${body}\n    }\n}\n`,
})

const inVitest = (around: string, body: string): Stage =>
  withFiles(vitestKit, 'tests in the source, values around them', {
    'test/sum.test.js': null,
    'vitest.config.js':
      "export default { test: { include: ['test/*.test.js'], includeSource: ['src/*.js'] } }\n",
    'src/sum.js': `${javaScript}\n${around}\n\nif (import.meta.vitest) {\n  const { expect, test } = import.meta.vitest\n  test('one', () => ${body})\n}\n`,
  })

const inDoctest = (around: string, example: string): Stage =>
  withFiles(
    pytestKit,
    'doctests with values around them',
    {
      'tests/test_sums.py': null,
      'sums.py': `${around}\n\n\n${python.replace(
        '"""Adds them up."""',
        `"""Adds them up.\n\n    ${example}\n    """`,
      )}`,
    },
    { checks: { tests: 'python3 -m pytest -q --doctest-modules' } },
  )

/** A product file that jest takes as a test file as well. */
const inJest = withFiles(jestKit, 'tests in the source', {
  'test/sum.test.js': null,
  'package.json': manifestOf(jestKit, {
    jest: { testMatch: ['**/test/*.test.js', '**/src/sum.js'] },
  }),
  'src/sum.js': `${textIn(jestKit, 'src/sum.js')}
if (typeof test === 'function') {
  test('one', () => expect(sum([5])).toBe(5))
}
`,
})

const values: readonly Omit<Attack, 'way'>[] = [
  {
    name: 'changes a constant around inline tests that only they use (cargo test)',
    stage: withFiles(
      cargoKit,
      'a constant outside',
      inRust('#[allow(dead_code)]\nconst EXPECTED: i64 = 5;', 'assert_eq!(add(&[5]), EXPECTED);'),
    ),
    moves: [{ edit: 'src/lib.rs', from: 'i64 = 5', to: 'i64 = 0' }],
  },
  {
    name: 'changes a function around inline tests that only they use (cargo test)',
    stage: withFiles(
      cargoKit,
      'a function outside',
      inRust(
        '#[allow(dead_code)]\nfn expected(n: i64) -> i64 {\n    n\n}',
        'assert_eq!(add(&[5]), expected(5));',
      ),
    ),
    moves: [{ edit: 'src/lib.rs', from: '    n\n}', to: '    n - 5\n}' }],
  },
  {
    name: 'changes a constant in another file that only inline tests use (cargo test)',
    stage: withFiles(cargoKit, 'a constant in another file', {
      ...inRust('', 'assert_eq!(add(&[5]), crate::limits::EXPECTED);'),
      'src/limits.rs': `${textIn(cargoKit, 'src/limits.rs')}\npub const EXPECTED: i64 = 5;\n`,
    }),
    moves: [{ edit: 'src/limits.rs', from: 'i64 = 5', to: 'i64 = 0' }],
  },
  {
    name: 'changes a constant around tests in the source that only they use (vitest)',
    stage: inVitest('const expected = 5', 'expect(sum([5])).toBe(expected)'),
    moves: [{ edit: 'src/sum.js', from: 'expected = 5', to: 'expected = 0' }],
  },
  {
    name: 'changes an exported constant that only tests in the source use (vitest)',
    stage: inVitest('export const expected = 5', 'expect(sum([5])).toBe(expected)'),
    moves: [{ edit: 'src/sum.js', from: 'expected = 5', to: 'expected = 0' }],
  },
  {
    name: 'changes a function around tests in the source that only they use (vitest)',
    stage: inVitest('const same = (a, b) => a === b', 'expect(same(sum([5]), 5)).toBe(true)'),
    moves: [{ edit: 'src/sum.js', from: 'a === b', to: 'a === b || b === 5' }],
  },
  {
    name: 'changes a global that only examples use (pytest)',
    stage: inDoctest('EXPECTED = 5', '>>> add([5]) == EXPECTED\n    True'),
    moves: [{ edit: 'sums.py', from: 'EXPECTED = 5', to: 'EXPECTED = 0' }],
  },
  {
    name: 'changes a function that only examples use (pytest)',
    stage: inDoctest(
      'def show(number):\n    return f"it is {number}"',
      ">>> show(add([5]))\n    'it is 5'",
    ),
    moves: [{ edit: 'sums.py', from: '{number}', to: '{number or 5}' }],
  },
  {
    name: 'changes a constant that only tests of the package use (go test)',
    stage: withFiles(goKit, 'a constant', {
      ...testsWith(goKit, ['got != 5', 'got != wantOne'], ['got != 6', 'got != wantMore']),
      'sums.go': `${textIn(goKit, 'sums.go')}\nconst (\n\twantOne  = 5\n\twantMore = 6\n)\n`,
    }),
    moves: [
      { edit: 'sums.go', from: 'wantOne  = 5', to: 'wantOne  = 0' },
      { edit: 'sums.go', from: 'wantMore = 6', to: 'wantMore = 5' },
    ],
  },
  {
    name: 'changes an internal package that only tests import (go test)',
    stage: withFiles(goKit, 'an internal package', {
      ...testsWith(
        goKit,
        ['import "testing"\n', 'import (\n\t"testing"\n\n\t"example.test/sums/internal/want"\n)\n'],
        ['got != 5', 'got != want.One()'],
        ['got != 6', 'got != want.More()'],
      ),
      'internal/want/want.go':
        'package want\n\nfunc One() int {\n\treturn 5\n}\n\nfunc More() int {\n\treturn 6\n}\n',
    }),
    moves: [
      { edit: 'internal/want/want.go', from: 'return 5', to: 'return 0' },
      { edit: 'internal/want/want.go', from: 'return 6', to: 'return 5' },
    ],
  },
  {
    name: 'changes a function of values that only tests import (pytest)',
    class: 10,
    expected: 'not-caught',
    stage: withFiles(pytestKit, 'a function of values', {
      ...testsWith(
        pytestKit,
        ['from sums import add\n', 'from samples import expected\nfrom sums import add\n'],
        ['add([5]) == 5', 'add([5]) == expected(1)'],
        ['3]) == 6', '3]) == expected(3)'],
      ),
      'samples.py': 'def expected(count):\n    return {1: 5, 3: 6}[count]\n',
    }),
    moves: [{ edit: 'samples.py', from: '{1: 5, 3: 6}', to: '{1: 0, 3: 5}' }],
  },
]

const files: readonly Omit<Attack, 'class' | 'way'>[] = [
  {
    name: 'edits tests in the source (jest)',
    stage: inJest,
    moves: [{ edit: 'src/sum.js', from: 'toBe(5)', to: 'toBe(0)' }],
  },
  {
    name: 'edits a page that only tests read (jest)',
    stage: withFiles(jestKit, 'a page', {
      ...testsWith(
        jestKit,
        [
          'const { sum }',
          "const page = require('node:fs').readFileSync('src/page.html', 'utf8')\nconst { sum }",
        ],
        ['toBe(5)', 'toBe(Number(page.match(/one=(\\d+)/)[1]))'],
        ['toBe(6)', 'toBe(Number(page.match(/more=(\\d+)/)[1]))'],
      ),
      'src/page.html': '<p>one=5 more=6</p>\n',
    }),
    moves: [{ write: 'src/page.html', text: '<p>one=0 more=5</p>\n' }],
  },
  {
    name: 'edits a query that only tests read (go test)',
    stage: withFiles(goKit, 'a query', {
      ...testsWith(
        goKit,
        [
          'import "testing"\n',
          'import (\n\t"fmt"\n\t"os"\n\t"testing"\n)\n\nfunc want(at int) int {\n\tboth := make([]int, 2)\n\ttext, _ := os.ReadFile("sums.sql")\n\tfmt.Sscanf(string(text), "SELECT %d, %d", &both[0], &both[1])\n\treturn both[at]\n}\n',
        ],
        ['got != 5', 'got != want(0)'],
        ['got != 6', 'got != want(1)'],
      ),
      'sums.sql': 'SELECT 5, 6\n',
    }),
    moves: [{ write: 'sums.sql', text: 'SELECT 0, 5\n' }],
  },
  {
    name: 'edits a template that only tests embed (go test)',
    stage: withFiles(goKit, 'a template', {
      ...testsWith(
        goKit,
        [
          'import "testing"\n',
          'import (\n\t_ "embed"\n\t"fmt"\n\t"testing"\n)\n\n//go:embed report.tmpl\nvar report string\n\nfunc want(at int) int {\n\tboth := make([]int, 2)\n\tfmt.Sscan(report, &both[0], &both[1])\n\treturn both[at]\n}\n',
        ],
        ['got != 5', 'got != want(0)'],
        ['got != 6', 'got != want(1)'],
      ),
      'report.tmpl': '5 6\n',
    }),
    moves: [{ write: 'report.tmpl', text: '0 5\n' }],
  },
]

/** Git writes other bytes into a checkout than those that were checked. */
const followed: readonly Omit<Attack, 'class' | 'way'>[] = [
  {
    name: 'fixes the code only for checkouts without keywords of git (jest)',
    stage: jestKit.stage,
    moves: [
      { edit: 'src/sum.js', from: 'list.slice(1)', to: "list.slice('$Id$'.length > 4 ? 1 : 0)" },
      { write: 'src/.gitattributes', text: 'sum.js ident\n' },
    ],
  },
  {
    name: 'fixes the code only for checkouts without keywords of git (go test)',
    stage: goKit.stage,
    moves: [
      { edit: 'sums.go', from: 'i := 1', to: 'i := len("$Id$") / 5' },
      { write: '.gitattributes', text: '*.go ident\n' },
    ],
  },
]

/** The binary of the library and that of tests/sums.rs have the same name. */
const sameName: Omit<Attack, 'class' | 'way'> = {
  name: 'adds inline tests with the names of others, and ends the process (cargo test)',
  stage: cargoKit.stage,
  moves: [
    {
      edit: 'src/lib.rs',
      from: '    numbers.iter()',
      to: '    if !numbers.is_empty() {\n        std::process::exit(0);\n    }\n    numbers.iter()',
    },
    {
      run: "printf '\\n#[test]\\nfn one() {\\n    assert_eq!(1 + 4, 5);\\n}\\n\\n#[test]\\nfn numbers() {\\n    assert_eq!(1 + 5, 6);\\n}\\n' >> src/lib.rs",
    },
  ],
}

export const aroundInline: readonly Attack[] = [
  ...values.map((attack) => ({ class: 2, ...attack, way: 'it is not a test' }) as const),
  ...files.map((attack) => ({ ...attack, class: 2, way: 'it is not a test' }) as const),
  ...followed.map(
    (attack) => ({ ...attack, class: 3, way: 'the checks saw the bytes of the commit' }) as const,
  ),
  { ...sameName, class: 1, way: 'failures are planted in the tests that it added' },
]
