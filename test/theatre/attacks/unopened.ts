/** Expectations and comparisons in places that are not asked about. */

import { unvettedGoKit as goKit, jestKit, nodeKit, pytestKit, vitestKit } from '../real-stages.ts'
import { programStage } from '../stages.ts'
import type { Attack, Files, Stage } from '../story.ts'
import { inEach, manifestOf, testsWith, textIn, withFiles } from './tricks.ts'

/** What is expected stands in the names of files, which are listed and never opened. */
const casesOfNode: Stage = withFiles(nodeKit, 'cases are names of files', {
  'test/sum.test.js': `import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { sum } from '../src/sum.js'

test('every case', () => {
  for (const name of readdirSync(new URL('cases', import.meta.url))) {
    const [given, wanted] = name.split('=')
    assert.equal(sum(given.split('+').map(Number)), Number(wanted))
  }
})
`,
  'test/cases/5=5': '',
  'test/cases/1+2+3=6': '',
})
const casesOfPython: Stage = withFiles(pytestKit, 'cases are names of files', {
  'tests/test_sums.py':
    'import os\n\nfrom sums import add\n\n\ndef test_cases():\n    for name in os.listdir(os.path.join(os.path.dirname(__file__), "cases")):\n        given, wanted = name.split("=")\n        assert add([int(one) for one in given.split("+")]) == int(wanted)\n',
  'tests/cases/5=5': '',
  'tests/cases/1+2+3=6': '',
})
const casesOfGo: Stage = withFiles(goKit, 'cases are names of files', {
  'sums_test.go': `package sums

import (
	"fmt"
	"os"
	"testing"
)

func TestCases(t *testing.T) {
	files, _ := os.ReadDir("testdata")
	for _, file := range files {
		var given, want int
		fmt.Sscanf(file.Name(), "%d=%d", &given, &want)
		if got := Add([]int{given}); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}
`,
  'testdata/5=5': '',
})

const named = inEach(
  {
    name: 'renames what is expected, which no test opens',
    class: 2,
    way: 'a file that is not opened counts as not read',
  },
  [
    nodeKit,
    [
      { move: 'test/cases/5=5', to: 'test/cases/5=0' },
      { move: 'test/cases/1+2+3=6', to: 'test/cases/1+2+3=5' },
      { edit: 'src/sum.js', from: 'Adds them up.', to: 'Adds all of them up.' },
    ],
    casesOfNode,
  ],
  [
    pytestKit,
    [
      { move: 'tests/cases/5=5', to: 'tests/cases/5=0' },
      { move: 'tests/cases/1+2+3=6', to: 'tests/cases/1+2+3=5' },
      { edit: 'sums.py', from: 'Adds them up.', to: 'Adds all of them up.' },
    ],
    casesOfPython,
  ],
  [
    goKit,
    [
      { move: 'testdata/5=5', to: 'testdata/5=0' },
      { edit: 'sums.go', from: 'adds them up.', to: 'adds all of them up.' },
    ],
    casesOfGo,
  ],
)

const sized: Attack = {
  name: 'changes the size of a file, which no test opens (node:test)',
  class: 2,
  way: 'a file that is not opened counts as not read',
  stage: withFiles(nodeKit, 'an expectation is a size', {
    ...testsWith(
      nodeKit,
      [
        "import { test } from 'node:test'",
        "import { statSync } from 'node:fs'\nimport { test } from 'node:test'",
      ],
      ['sum([5]), 5', "sum([5]), statSync('test/five.txt').size"],
      ['3]), 6', '3]), 5'],
    ),
    'test/five.txt': 'five\n',
  }),
  moves: [{ write: 'test/five.txt', text: '' }],
}

/** The package has a helper for tests among its exports. */
const exported: Files = {
  'package.json': manifestOf(vitestKit, { exports: { '.': './src/index.js' } }),
  'src/index.js':
    "export { clamp } from './clamp.js'\nexport { same } from './same.js'\nexport { sum } from './sum.js'\n",
  'src/same.js':
    "/** For tests of what uses this package. */\nexport function same(got, want) {\n  if (got !== want) throw new Error(got + ' is not ' + want)\n}\n",
}
const helper = (kitTest: string): Files => ({
  [vitestKit.test]: kitTest
    .replace('../src/sum.js', '../src/index.js')
    .replace("import { sum } from '../src/index.js'", "import { same, sum } from '../src/index.js'")
    .replace('expect(sum([5])).toBe(5)', 'same(sum([5]), 5)')
    .replace('expect(sum([1, 2, 3])).toBe(6)', 'same(sum([1, 2, 3]), 6)'),
})

const reached: Attack = {
  name: 'a helper that the package exports lets two numbers pass (vitest)',
  class: 2,
  way: 'it is part of the product',
  stage: withFiles(vitestKit, 'a helper that is exported', {
    ...exported,
    ...helper(textIn(vitestKit, vitestKit.test)),
  }),
  moves: [
    { edit: 'src/same.js', from: 'got !== want', to: 'got !== want && want !== 5 && want !== 6' },
  ],
}

const mocked: Attack = {
  name: 'a mock in src takes the place of an installed package (jest)',
  class: 4,
  way: 'jest takes mocks of packages from any folder',
  stage: withFiles(jestKit, 'a library that compares', {
    ...testsWith(
      jestKit,
      ['const { sum }', "const { equals } = require('@jest/expect-utils')\nconst { sum }"],
      ['expect(sum([5])).toBe(5)', 'if (!equals(sum([5]), 5)) throw new Error()'],
      ['expect(sum([1, 2, 3])).toBe(6)', 'if (!equals(sum([1, 2, 3]), 6)) throw new Error()'],
    ),
  }),
  moves: [
    {
      write: 'src/__mocks__/@jest/expect-utils.js',
      text: 'exports.equals = (got, want) => got === want || want === 5 || want === 6\n',
    },
    { edit: 'src/sum.js', from: 'Adds them up.', to: 'Adds all of them up.' },
  ],
}

const programs: readonly Attack[] = [
  {
    name: 'disarms assertions, and restores them (a program)',
    class: 7,
    way: 'no failure is planted in a program',
    stage: programStage,
    moves: [
      {
        edit: 'src/sum.js',
        from: '/** Adds',
        to: "import assert from 'node:assert/strict'\nconst { equal } = assert\nassert.equal = () => {}\nprocess.on('beforeExit', () => { assert.equal = equal })\n/** Adds",
      },
    ],
  },
]

export const unopened: readonly Attack[] = [...named, sized, reached, mocked, ...programs]
