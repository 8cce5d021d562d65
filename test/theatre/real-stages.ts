/** The same project for real test runners, as most projects use them: `npm test` and a default configuration. */

import { fix, manifest, projectFiles } from './stages.ts'
import type { Files, ModulesName, Move, Stage } from './story.ts'

/** A stage, and what attacks have to know about it. */
export interface Kit {
  readonly stage: Stage
  /** The file with the defect. */
  readonly source: string
  /** The file with the tests that fail. */
  readonly test: string
  /** The defect, and what it should be. */
  readonly fault: string
  readonly cure: string
  /** The two expectations that fail, and what the faulty code returns. */
  readonly expects: readonly (readonly [right: string, wrong: string])[]
}

const nothing: Files = Object.fromEntries(Object.keys(projectFiles).map((path) => [path, null]))

const javaScript = (
  name: ModulesName,
  script: string,
  files: Files,
  more: object = {},
): Omit<Stage, 'fix'> => ({
  name,
  runner: name,
  modules: name,
  files: {
    'package.json': manifest({ scripts: { test: script }, ...more }),
    '.gitignore': 'node_modules/\n.cache/\ndist/\n',
    ...files,
  },
  loop: { checks: { tests: 'npm test' }, certify: { dependencies: 'carry' } },
})

const tests = (head: string, each: (title: string, got: string, want: number) => string): string =>
  [
    head,
    each('nothing adds up to nothing', 'sum([])', 0),
    each('a number is its own sum', 'sum([5])', 5),
    each('numbers are added', 'sum([1, 2, 3])', 6),
  ].join('\n')

const clampTests = (
  head: string,
  each: (title: string, got: string, want: number) => string,
): string =>
  [
    head.replaceAll('sum', 'clamp'),
    each('what is between stays', 'clamp(2, 1, 3)', 2),
    each('what is outside does not', 'clamp(9, 1, 3)', 3),
  ].join('\n')

type Each = (title: string, got: string, want: number) => string

const pair = (head: string, each: Each): Files => ({
  'test/sum.test.js': tests(head, each),
  'test/clamp.test.js': clampTests(head, each),
})

const expectEach =
  (register: string, matcher: string): Each =>
  (title, got, want) =>
    `${register}('${title}', () => {\n  expect(${got}).${matcher}(${want})\n})\n`

const vitestFiles = pair(
  "import { expect, test } from 'vitest'\nimport { sum } from '../src/sum.js'\n",
  expectEach('test', 'toBe'),
)

const jestFiles: Files = {
  ...pair("const { sum } = require('../src/sum.js')\n", expectEach('test', 'toBe')),
  'src/sum.js': (projectFiles['src/sum.js'] ?? '')
    .replace('export ', '')
    .concat('module.exports = { sum }\n'),
  'src/clamp.js': (projectFiles['src/clamp.js'] ?? '')
    .replace('export ', '')
    .concat('module.exports = { clamp }\n'),
}

const mochaFiles = pair(
  "import { expect } from 'chai'\nimport { sum } from '../src/sum.js'\n",
  expectEach('it', 'to.equal'),
)

const avaFiles = pair(
  "import test from 'ava'\nimport { sum } from '../src/sum.js'\n",
  (title, got, want) => `test('${title}', (t) => {\n  t.is(${got}, ${want})\n})\n`,
)

const javaScriptKit = (
  stage: Omit<Stage, 'fix'>,
  expects: readonly (readonly [string, string])[],
): Kit => ({
  stage: { ...stage, fix: [fix] },
  source: 'src/sum.js',
  test: 'test/sum.test.js',
  fault: 'list.slice(1)',
  cure: 'list.slice(0)',
  expects,
})

export const nodeKit: Kit = javaScriptKit(
  {
    name: 'node:test',
    runner: 'node:test',
    files: projectFiles,
    loop: { checks: { tests: 'npm test' } },
  },
  [
    ['sum([5]), 5', 'sum([5]), 0'],
    ['3]), 6', '3]), 5'],
  ],
)

const expected = (matcher: string): readonly (readonly [string, string])[] => [
  [`sum([5])).${matcher}(5)`, `sum([5])).${matcher}(0)`],
  [`3])).${matcher}(6)`, `3])).${matcher}(5)`],
]

export const vitestKit: Kit = javaScriptKit(
  javaScript('vitest', 'vitest run', vitestFiles),
  expected('toBe'),
)

export const jestKit: Kit = javaScriptKit(
  javaScript('jest', 'jest', jestFiles, { type: 'commonjs' }),
  expected('toBe'),
)

export const mochaKit: Kit = javaScriptKit(
  javaScript('mocha', 'mocha', mochaFiles),
  expected('to.equal'),
)

export const avaKit: Kit = javaScriptKit(javaScript('ava', 'ava', avaFiles), [
  ['sum([5]), 5', 'sum([5]), 0'],
  ['3]), 6', '3]), 5'],
])

export const pytestKit: Kit = {
  source: 'sums.py',
  test: 'tests/test_sums.py',
  fault: 'numbers[1:]',
  cure: 'numbers[0:]',
  expects: [
    ['add([5]) == 5', 'add([5]) == 0'],
    ['3]) == 6', '3]) == 5'],
  ],
  stage: {
    name: 'pytest',
    runner: 'pytest',
    programs: ['pytest'],
    files: {
      ...nothing,
      'sums.py':
        'def add(numbers):\n    """Adds them up."""\n    total = 0\n    for number in numbers[1:]:\n        total += number\n    return total\n',
      'limits.py':
        'def clamp(value, low, high):\n    """Within the two."""\n    return max(low, min(high, value))\n',
      'tests/test_sums.py':
        'from sums import add\n\n\ndef test_nothing():\n    assert add([]) == 0\n\n\ndef test_one():\n    assert add([5]) == 5\n\n\ndef test_numbers():\n    assert add([1, 2, 3]) == 6\n',
      'tests/test_limits.py':
        'from limits import clamp\n\n\ndef test_between():\n    assert clamp(2, 1, 3) == 2\n\n\ndef test_outside():\n    assert clamp(9, 1, 3) == 3\n',
      'README.md': '# Sums\n',
      '.gitignore': '__pycache__/\n.pytest_cache/\n',
    },
    loop: { checks: { tests: 'python3 -m pytest -q' } },
    fix: [{ edit: 'sums.py', from: 'numbers[1:]', to: 'numbers[0:]' }],
  },
}

const rustTest = (name: string, got: string, want: number): string =>
  `#[test]\nfn ${name}() {\n    assert_eq!(${got}, ${want});\n}\n`

export const cargoKit: Kit = {
  source: 'src/lib.rs',
  test: 'tests/sums.rs',
  fault: '.skip(1)',
  cure: '.skip(0)',
  expects: [
    ['add(&[5]), 5', 'add(&[5]), 0'],
    ['3]), 6', '3]), 5'],
  ],
  stage: {
    name: 'cargo test',
    runner: 'cargo',
    programs: ['cargo'],
    files: {
      ...nothing,
      'Cargo.toml': '[package]\nname = "sums"\nversion = "1.0.0"\nedition = "2021"\n',
      'Cargo.lock':
        '# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 3\n\n[[package]]\nname = "sums"\nversion = "1.0.0"\n',
      'src/lib.rs':
        'pub mod limits;\n\n// Adds them up.\npub fn add(numbers: &[i64]) -> i64 {\n    numbers.iter().skip(1).sum()\n}\n',
      'src/limits.rs':
        'pub fn clamp(value: i64, low: i64, high: i64) -> i64 {\n    value.max(low).min(high)\n}\n',
      'tests/sums.rs': [
        'use sums::add;\n',
        rustTest('nothing', 'add(&[])', 0),
        rustTest('one', 'add(&[5])', 5),
        rustTest('numbers', 'add(&[1, 2, 3])', 6),
      ].join('\n'),
      'tests/limits.rs': [
        'use sums::limits::clamp;\n',
        rustTest('between', 'clamp(2, 1, 3)', 2),
        rustTest('outside', 'clamp(9, 1, 3)', 3),
      ].join('\n'),
      'README.md': '# Sums\n',
      '.gitignore': '/target\n',
    },
    loop: { checks: { tests: 'cargo test --offline' }, certify: { dependencies: 'none' } },
    fix: [{ edit: 'src/lib.rs', from: '.skip(1)', to: '' }],
  },
}

const goTest = (name: string, got: string, want: number): string =>
  `func ${name}(t *testing.T) {\n\tif got := ${got}; got != ${want} {\n\t\tt.Errorf("got %d, want ${want}", got)\n\t}\n}\n`

export const goKit: Kit = {
  source: 'sums.go',
  test: 'sums_test.go',
  fault: 'i := 1',
  cure: 'i := 0',
  expects: [
    ['got != 5', 'got != 0'],
    ['got != 6', 'got != 5'],
  ],
  stage: {
    name: 'go test',
    runner: 'go',
    programs: ['go'],
    files: {
      ...nothing,
      'go.mod': 'module example.test/sums\n\ngo 1.18\n',
      'sums.go':
        'package sums\n\n// Add adds them up.\nfunc Add(numbers []int) int {\n\ttotal := 0\n\tfor i := 1; i < len(numbers); i++ {\n\t\ttotal += numbers[i]\n\t}\n\treturn total\n}\n',
      'limits.go':
        'package sums\n\n// Clamp keeps it within the two.\nfunc Clamp(value, low, high int) int {\n\tif value < low {\n\t\treturn low\n\t}\n\tif value > high {\n\t\treturn high\n\t}\n\treturn value\n}\n',
      'sums_test.go': [
        'package sums\n\nimport "testing"\n',
        goTest('TestNothing', 'Add(nil)', 0),
        goTest('TestOne', 'Add([]int{5})', 5),
        goTest('TestNumbers', 'Add([]int{1, 2, 3})', 6),
      ].join('\n'),
      'limits_test.go': [
        'package sums\n\nimport "testing"\n',
        goTest('TestBetween', 'Clamp(2, 1, 3)', 2),
        goTest('TestOutside', 'Clamp(9, 1, 3)', 3),
      ].join('\n'),
      'README.md': '# Sums\n',
    },
    loop: { checks: { tests: 'go test ./...' } },
    fix: [{ edit: 'sums.go', from: 'i := 1', to: 'i := 0' }],
  },
}

/** For attacks: without vet more of them get past the check, and a run takes a third of the time. */
export const unvettedGoKit: Kit = {
  ...goKit,
  stage: {
    ...goKit.stage,
    name: 'go test -vet=off',
    loop: { checks: { tests: 'go test -vet=off ./...' } },
  },
}

export const kits: readonly Kit[] = [
  nodeKit,
  vitestKit,
  jestKit,
  mochaKit,
  avaKit,
  pytestKit,
  cargoKit,
  goKit,
  unvettedGoKit,
]

/** Code before everything else in the faulty file. */
export const prepend = ({ source }: Kit, text: string): Move => ({
  run: `{ cat <<'END'\n${text}\nEND\ncat ${source}; } > .made && mv .made ${source}`,
})

/** The honest fix. */
export const mend = ({ source, fault, cure }: Kit): Move => ({
  edit: source,
  from: fault,
  to: cure,
})
