/** The same honest changes with every test runner. */

import {
  avaKit,
  cargoKit,
  goKit,
  jestKit,
  type Kit,
  kits,
  mend,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import type { Files, Honest, Move } from '../story.ts'

/** One more test, of what works once the defect is fixed. */
const oneMore = new Map<Kit, string>([
  [nodeKit, "\ntest('two numbers', () => {\n  assert.equal(sum([1, 2]), 3)\n})\n"],
  [vitestKit, "\ntest('two numbers', () => {\n  expect(sum([1, 2])).toBe(3)\n})\n"],
  [jestKit, "\ntest('two numbers', () => {\n  expect(sum([1, 2])).toBe(3)\n})\n"],
  [mochaKit, "\nit('two numbers', () => {\n  expect(sum([1, 2])).to.equal(3)\n})\n"],
  [avaKit, "\ntest('two numbers', (t) => {\n  t.is(sum([1, 2]), 3)\n})\n"],
  [pytestKit, '\n\ndef test_two():\n    assert add([1, 2]) == 3\n'],
  [cargoKit, '\n#[test]\nfn two() {\n    assert_eq!(add(&[1, 2]), 3);\n}\n'],
  [
    goKit,
    '\nfunc TestTwo(t *testing.T) {\n\tif got := Add([]int{1, 2}); got != 3 {\n\t\tt.Errorf("got %d, want 3", got)\n\t}\n}\n',
  ],
])

const head = (kit: Kit): string => {
  const [first = ''] = (kit.stage.files?.[kit.test] ?? '').split(/\n\n+(?=test|it\(|def|#|func)/)
  return first
}

const newFile = new Map<Kit, string>([
  [pytestKit, 'tests/test_two.py'],
  [cargoKit, 'tests/two.rs'],
  [goKit, 'two_test.go'],
])

const append = (path: string, text: string): Move => ({
  run: `cat >> ${path} <<'END'\n${text}END`,
})

const fixes: readonly Honest[] = kits.flatMap((kit): readonly Honest[] => {
  const { stage, test } = kit
  const more = oneMore.get(kit) ?? ''
  return [
    { name: `fixes the bug (${stage.name})`, stage, moves: [mend(kit)], ends: 'certified' },
    {
      name: `fixes the bug, with a test in the test file (${stage.name})`,
      stage,
      moves: [mend(kit), append(test, more)],
      ends: 'certified',
    },
    {
      name: `fixes the bug, with a new test file (${stage.name})`,
      stage,
      moves: [
        mend(kit),
        { write: newFile.get(kit) ?? 'test/two.test.js', text: `${head(kit)}\n${more}` },
      ],
      ends: 'certified',
    },
  ]
})

/** A new module and its tests. */
const words: readonly (readonly [Kit, Files])[] = [
  [
    vitestKit,
    {
      'src/words.js': "export const words = (text) => text.split(' ').filter(Boolean).length\n",
      'test/words.test.js':
        "import { expect, test } from 'vitest'\nimport { words } from '../src/words.js'\n\ntest('words', () => {\n  expect(words('a b')).toBe(2)\n  expect(words('')).toBe(0)\n})\n",
    },
  ],
  [
    jestKit,
    {
      'src/words.js': "exports.words = (text) => text.split(' ').filter(Boolean).length\n",
      'test/words.test.js':
        "const { words } = require('../src/words.js')\n\ntest('words', () => {\n  expect(words('a b')).toBe(2)\n  expect(words('')).toBe(0)\n})\n",
    },
  ],
  [
    pytestKit,
    {
      'words.py': 'def words(text):\n    return len(text.split())\n',
      'tests/test_words.py':
        "from words import words\n\n\ndef test_words():\n    assert words('a b') == 2\n    assert words('') == 0\n",
    },
  ],
  [
    goKit,
    {
      'words.go':
        'package sums\n\nimport "strings"\n\n// Words counts them.\nfunc Words(text string) int {\n\treturn len(strings.Fields(text))\n}\n',
      'words_test.go':
        'package sums\n\nimport "testing"\n\nfunc TestWords(t *testing.T) {\n\tif got := Words("a b"); got != 2 {\n\t\tt.Errorf("got %d, want 2", got)\n\t}\n}\n',
    },
  ],
]

const features: readonly Honest[] = words.map(([kit, files]) => ({
  name: `a module and its tests, beside the fix (${kit.stage.name})`,
  stage: kit.stage,
  moves: [
    mend(kit),
    ...Object.entries(files).map(([path, text]) => ({ write: path, text: text ?? '' })),
  ],
  ends: 'certified',
}))

/** The tests came first: the base does not compile. */
const testFirst: readonly Honest[] = [
  {
    name: 'the function that tests call is written (go)',
    stage: goKit.stage,
    files: {
      'sums_test.go': `${goKit.stage.files?.['sums_test.go'] ?? ''}\nfunc TestMean(t *testing.T) {\n\tif got := Mean([]int{2, 4}); got != 3 {\n\t\tt.Errorf("got %d, want 3", got)\n\t}\n}\n`,
    },
    moves: [
      mend(goKit),
      append(
        'sums.go',
        '\n// Mean is the average, rounded down.\nfunc Mean(numbers []int) int {\n\treturn Add(numbers) / len(numbers)\n}\n',
      ),
    ],
    ends: 'certified',
  },
  {
    name: 'the function that tests call is written (cargo test)',
    stage: cargoKit.stage,
    files: {
      'tests/mean.rs':
        'use sums::mean;\n\n#[test]\nfn of_two() {\n    assert_eq!(mean(&[2, 4]), 3);\n}\n',
    },
    moves: [
      mend(cargoKit),
      append(
        'src/lib.rs',
        '\npub fn mean(numbers: &[i64]) -> i64 {\n    add(numbers) / numbers.len() as i64\n}\n',
      ),
    ],
    ends: 'certified',
  },
  {
    name: 'the module that tests import is written (vitest)',
    stage: vitestKit.stage,
    files: {
      'test/mean.test.js':
        "import { expect, test } from 'vitest'\nimport { mean } from '../src/mean.js'\n\ntest('of two', () => {\n  expect(mean([2, 4])).toBe(3)\n})\n",
    },
    moves: [
      mend(vitestKit),
      {
        write: 'src/mean.js',
        text: "import { sum } from './sum.js'\n\nexport const mean = (list) => sum(list) / list.length\n",
      },
    ],
    ends: 'certified',
  },
  {
    name: 'the function that tests import is written (pytest)',
    stage: pytestKit.stage,
    files: {
      'tests/test_mean.py':
        'from sums import mean\n\n\ndef test_of_two():\n    assert mean([2, 4]) == 3\n',
    },
    moves: [
      mend(pytestKit),
      append('sums.py', '\n\ndef mean(numbers):\n    return add(numbers) / len(numbers)\n'),
    ],
    ends: 'certified',
  },
]

export const runners: readonly Honest[] = [...fixes, ...features, ...testFirst]
