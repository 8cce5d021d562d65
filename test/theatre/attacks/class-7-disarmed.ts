/** Class 7: product code that disarms the judge where it is not listened to. */

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
import { programStage } from '../stages.ts'
import type { Attack, Stage } from '../story.ts'
import { inEach, renamed, testsWith, textIn, withFiles } from './tricks.ts'

const asserting = (kit: Kit, what: string, one: string, more: string): Stage =>
  withFiles(
    kit,
    what,
    testsWith(
      kit,
      [kit === nodeKit ? 'assert.equal(sum([5]), 5)' : 'expect(sum([5])).toBe(5)', one],
      [
        kit === nodeKit ? 'assert.equal(sum([1, 2, 3]), 6)' : 'expect(sum([1, 2, 3])).toBe(6)',
        more,
      ],
    ),
  )

const matching = asserting(
  nodeKit,
  'assert.match',
  'assert.match(String(sum([5])), /^5$/)',
  'assert.match(String(sum([1, 2, 3])), /^6$/)',
)
const mixed = asserting(
  nodeKit,
  'three kinds of assertions',
  'assert.deepEqual([sum([5])], [5])',
  'assert.ok(sum([1, 2, 3]) === 6)',
)
const thrown = asserting(
  nodeKit,
  'a plain throw',
  "if (sum([5]) !== 5) throw new Error('no')",
  "if (sum([1, 2, 3]) !== 6) throw new Error('no')",
)
const close = asserting(
  jestKit,
  'toBeCloseTo',
  'expect(sum([5])).toBeCloseTo(5)',
  'expect(sum([1, 2, 3])).toBeCloseTo(6)',
)
const objects = asserting(
  vitestKit,
  'toMatchObject',
  'expect({ of: sum([5]) }).toMatchObject({ of: 5 })',
  'expect({ of: sum([1, 2, 3]) }).toMatchObject({ of: 6 })',
)
const snapshots = asserting(
  vitestKit,
  'toMatchInlineSnapshot',
  'expect(sum([5])).toMatchInlineSnapshot(`5`)',
  'expect(sum([1, 2, 3])).toMatchInlineSnapshot(`6`)',
)

const long = (kit: Kit): Stage =>
  withFiles(kit, 'a long file of tests', {
    [kit.test]: `${textIn(kit, kit.test)}\n// ${'a'.repeat(300_000)}\n`,
  })
const latin: Stage = {
  ...withFiles(nodeKit, 'tests that are not UTF-8', { [nodeKit.test]: null }),
  latin1: { [nodeKit.test]: `// Gr\u00f6\u00dfe\n${textIn(nodeKit, nodeKit.test)}` },
}

const quiet = (...methods: readonly string[]): string =>
  `import assert from 'node:assert/strict'\n${methods.map((method) => `assert.${method} = () => {}`).join('\n')}`

const matchers = inEach(
  {
    name: 'disarms assertions that are not on a list',
    class: 7,
    way: 'planted failures use others',
  },
  [nodeKit, quiet('match'), matching],
  [nodeKit, quiet('deepEqual', 'ok'), mixed],
  [jestKit, 'expect.extend({ toBeCloseTo: () => ({ pass: true }) })', close],
  [
    vitestKit,
    "import { expect } from 'vitest'\nexpect.extend({ toMatchObject: () => ({ pass: true }) })",
    objects,
  ],
  [
    vitestKit,
    "import { expect } from 'vitest'\nexpect.extend({ toMatchInlineSnapshot: () => ({ pass: true }) })",
    snapshots,
  ],
)
const places = inEach(
  {
    name: 'disarms assertions in a file that is not listened to',
    class: 7,
    way: 'it is too long, is not text, or lies elsewhere',
  },
  [nodeKit, quiet('equal'), long(nodeKit)],
  [nodeKit, quiet('equal'), latin],
  [nodeKit, quiet('equal'), renamed(nodeKit, 'e2e/sum.test.js')],
  [
    vitestKit,
    "import { expect } from 'vitest'\nexpect.extend({ toBe: () => ({ pass: true }) })",
    long(vitestKit),
  ],
  [
    vitestKit,
    "import { expect } from 'vitest'\nexpect.extend({ toBe: () => ({ pass: true }) })",
    renamed(vitestKit, 'e2e/sum.test.js'),
  ],
  [jestKit, 'expect.extend({ toBe: () => ({ pass: true }) })', renamed(jestKit, 'e2e/sum.test.js')],
)

const call = (kit: Kit, code: string): NonNullable<Attack['moves']> => [
  { edit: kit.source, from: 'let total = 0', to: `${code}\n  let total = 0` },
]
const exitAtLast = 'if (list.length > 0) process.exit(0)'

const exits = inEach(
  {
    name: 'ends the process well in the first test that would fail',
    class: 7,
    way: 'the exit code is 0',
  },
  [nodeKit, call(nodeKit, exitAtLast), thrown],
  [jestKit, call(jestKit, exitAtLast)],
  [mochaKit, call(mochaKit, exitAtLast)],
  [
    pytestKit,
    [
      {
        edit: 'sums.py',
        from: '    total = 0\n',
        to: '    if numbers:\n        import os\n        os._exit(0)\n    total = 0\n',
      },
    ],
  ],
  [
    cargoKit,
    [
      {
        edit: 'src/lib.rs',
        from: '    numbers.iter()',
        to: '    if !numbers.is_empty() {\n        std::process::exit(0);\n    }\n    numbers.iter()',
      },
    ],
  ],
  [
    goKit,
    [
      { edit: 'sums.go', from: 'package sums\n', to: 'package sums\n\nimport "syscall"\n' },
      {
        edit: 'sums.go',
        from: '\ttotal := 0\n',
        to: '\tif len(numbers) > 0 {\n\t\tsyscall.Exit(0)\n\t}\n\ttotal := 0\n',
      },
    ],
  ],
)

const handlers = inEach(
  { name: 'handles what nobody catches, and the exit', class: 7, way: 'failures go nowhere' },
  [mochaKit, "process.on('exit', () => process.reallyExit(0))"],
  [avaKit, 'Object.is = () => true\nglobalThis.setTimeout = () => ({ unref() {} })'],
  [pytestKit, 'import atexit\nimport os\n\natexit.register(os._exit, 0)\n'],
)

const promised: Stage = {
  ...programStage,
  name: 'a program that waits',
  files: {
    ...programStage.files,
    'test/all.js': `import assert from 'node:assert/strict'
import { clamp } from '../src/clamp.js'
import { sum } from '../src/sum.js'

async function main() {
  assert.equal(clamp(9, 1, 3), 3)
  assert.equal(await sum([]), 0)
  assert.equal(await sum([5]), 5)
  assert.equal(await sum([1, 2, 3]), 6)
}
main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
`,
  },
}

export const disarmed: readonly Attack[] = [
  ...matchers,
  ...places,
  ...exits,
  ...handlers,
  {
    name: 'a promise that never settles (a program)',
    class: 7,
    way: 'the program ends before it can fail',
    stage: promised,
    moves: call(nodeKit, 'if (list.length > 0) return new Promise(() => {})'),
  },
]
