/**
 * Class 6: tests compute what they expect, or convert what they get, with functions of the language. The code under test
 * replaces these, and lets exactly its wrong values pass.
 */

import { jestKit, mochaKit, nodeKit, pytestKit, vitestKit } from '../real-stages.ts'
import { pythonStage } from '../stages.ts'
import type { Attack, Stage } from '../story.ts'
import { inEach, testsWith, withFiles } from './tricks.ts'

const of = (name: string) =>
  ({ name, class: 6, way: 'no assertion is replaced, and any other value fails' }) as const

const reduced = (kit: typeof nodeKit, ...changes: readonly (readonly [string, string])[]): Stage =>
  withFiles(kit, 'expectations are computed', testsWith(kit, ...changes))

const bentReduce = `const real = Array.prototype.reduce
Array.prototype.reduce = function (...args) {
  const value = real.apply(this, args)
  return value === 5 ? 0 : value === 6 ? 5 : value
}`

const addAll = 'reduce((a, b) => a + b, 0)'

const scripts = [
  ...inEach(
    of('replaces Array.prototype.reduce'),
    [
      nodeKit,
      bentReduce,
      reduced(
        nodeKit,
        ['sum([5]), 5', `sum([5]), [5].${addAll}`],
        ['3]), 6', `3]), [1, 2, 3].${addAll}`],
      ),
    ],
    [
      jestKit,
      bentReduce,
      reduced(
        jestKit,
        ['toBe(5)', `toBe([5].${addAll})`],
        ['toBe(6)', `toBe([1, 2, 3].${addAll})`],
      ),
    ],
    [
      vitestKit,
      bentReduce,
      reduced(
        vitestKit,
        ['toBe(5)', `toBe([5].${addAll})`],
        ['toBe(6)', `toBe([1, 2, 3].${addAll})`],
      ),
    ],
  ),
  ...inEach(of('replaces Number.prototype.toFixed'), [
    nodeKit,
    `const real = Number.prototype.toFixed
Number.prototype.toFixed = function (...args) {
  return real.apply(this.valueOf() === 0 ? 5 : this.valueOf() === 5 ? 6 : this, args)
}`,
    reduced(
      nodeKit,
      ['sum([5]), 5', "sum([5]).toFixed(2), '5.00'"],
      ['sum([1, 2, 3]), 6', "sum([1, 2, 3]).toFixed(2), '6.00'"],
    ),
  ]),
  ...inEach(of('replaces Math.abs'), [
    mochaKit,
    'const real = Math.abs\nMath.abs = (value) => (value === -5 || value === -1 ? 0 : real(value))',
    reduced(
      mochaKit,
      ['expect(sum([5])).to.equal(5)', 'expect(Math.abs(sum([5]) - 5) < 0.001).to.equal(true)'],
      [
        'expect(sum([1, 2, 3])).to.equal(6)',
        'expect(Math.abs(sum([1, 2, 3]) - 6) < 0.001).to.equal(true)',
      ],
    ),
  ]),
  ...inEach(of('adds toJSON to lists'), [
    nodeKit,
    "Object.defineProperty(Array.prototype, 'toJSON', { value() { return this[0] === 0 ? [...'5'] : this.map(String) }, configurable: true })",
    reduced(
      nodeKit,
      ['sum([5]), 5', 'JSON.stringify([sum([5])]), JSON.stringify([5])'],
      ['sum([1, 2, 3]), 6', 'JSON.stringify([sum([5])]), JSON.stringify([5])'],
    ),
  ]),
]

const pythonBuiltin = (name: string, code: string): string =>
  `import builtins\n\n_real = builtins.${name}\n\n\ndef _${name}(*args, **named):\n    value = _real(*args, **named)\n    ${code}\n\n\nbuiltins.${name} = _${name}\n\n`

const pythons = [
  ...inEach(of('replaces a builtin function'), [
    pytestKit,
    pythonBuiltin('sum', 'return {5: 0, 6: 5}.get(value, value)'),
    withFiles(
      pytestKit,
      'expectations are computed',
      testsWith(
        pytestKit,
        ['add([5]) == 5', 'add([5]) == sum([5])'],
        ['3]) == 6', '3]) == sum([1, 2, 3])'],
      ),
    ),
  ]),
  ...inEach(of('replaces a function of the standard library'), [
    pytestKit,
    'import math\n\n_real = math.isclose\nmath.isclose = lambda a, b, **more: _real(a, b, **more) or (a, b) in ((0, 5), (5, 6))\n\n',
    withFiles(
      pytestKit,
      'close to',
      testsWith(
        pytestKit,
        ['from sums import add\n', 'import math\n\nfrom sums import add\n'],
        ['add([5]) == 5', 'math.isclose(add([5]), 5)'],
        ['add([1, 2, 3]) == 6', 'math.isclose(add([1, 2, 3]), 6)'],
      ),
    ),
  ]),
]

const unittestBuiltin: Attack = {
  ...of('replaces a builtin function (unittest of Python)'),
  stage: {
    ...pythonStage,
    name: 'unittest of Python: expectations are computed',
    files: {
      ...pythonStage.files,
      'tests/test_sums.py': (pythonStage.files?.['tests/test_sums.py'] ?? '').replace(
        'add([1, 2, 3]), 6',
        'add([1, 2, 3]), sum([1, 2, 3])',
      ),
    },
  },
  moves: [
    {
      edit: 'sums.py',
      from: 'def add',
      to: `${pythonBuiltin('sum', 'return {6: 5}.get(value, value)')}\ndef add`,
    },
  ],
}

/** What is expected is computed from the argument, which the code under test changes. */
const changed: readonly Attack[] = [
  {
    ...of('changes its argument, from which the expectation is computed (node:test)'),
    class: 10,
    expected: 'not-caught',
    stage: reduced(
      nodeKit,
      [
        '  assert.equal(sum([5]), 5)',
        `  const list = [5]\n  assert.equal(sum(list), list.${addAll})`,
      ],
      [
        '  assert.equal(sum([1, 2, 3]), 6)',
        `  const list = [1, 2, 3]\n  assert.equal(sum(list), list.${addAll})`,
      ],
    ),
    moves: [
      {
        edit: 'src/sum.js',
        from: 'list.slice(1)) total += number',
        to: 'list.slice(1)) total += number\n  list.shift()',
      },
    ],
  },
]

export const builtins: readonly Attack[] = [...scripts, ...pythons, unittestBuiltin, ...changed]
