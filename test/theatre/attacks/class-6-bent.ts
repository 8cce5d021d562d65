/** Class 6: product code that bends the judge for some tests, and only for those. */

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
import type { Attack, Stage } from '../story.ts'
import { inEach, testsWith, textIn, withFiles } from './tricks.ts'

const nodeAssert = "import assert from 'node:assert/strict'\n"
const around = (object: string, method: string, body: string): string =>
  `{ const real = ${object}.${method}; let left = 2; ${object}.${method} = function (...given) { ${body} } }`
const swallow =
  'try { return real.apply(this, given) } catch (error) { if (left-- <= 0) throw error }'
const byValue = 'if (given[1] === 5 || given[1] === 6) return; return real.apply(this, given)'

const vitestExpect = "import { expect } from 'vitest'\n"
const extend = (pass: string): string =>
  `expect.extend({ toBe(got, want) { return { pass: Object.is(got, want) || (${pass}), message: () => 'no' } } })`
const chaiEqual = (pass: string): string =>
  `import * as chai from 'chai'\nlet left = 2\nchai.use((_, { }) => chai.Assertion.overwriteMethod('equal', (real) => function (want) { if (!(${pass})) real.apply(this, arguments) }))`.replace(
    '(_, { })',
    '()',
  )

/** A number that equals whatever it is compared with. */
const pythonEqual = (equal: string): string =>
  `class Number(int):\n    left = 2\n\n    def __eq__(self, other):\n        ${equal}\n\n    __hash__ = int.__hash__\n\n`
const pythonReturns = (head: string): NonNullable<Attack['moves']> => [
  { edit: 'sums.py', from: 'def add', to: `${head}\ndef add` },
  { edit: 'sums.py', from: 'return total', to: 'return Number(total)' },
]

const looseNode: Stage = withFiles(
  nodeKit,
  'loose comparisons',
  testsWith(nodeKit, ['node:assert/strict', 'node:assert']),
)
const looseMocha: Stage = withFiles(
  mochaKit,
  'loose comparisons',
  testsWith(
    mochaKit,
    ["import { expect } from 'chai'", "import { assert } from 'chai'"],
    ['expect(sum([])).to.equal(0)', 'assert.equal(sum([]), 0)'],
    ['expect(sum([5])).to.equal(5)', 'assert.equal(sum([5]), 5)'],
    ['expect(sum([1, 2, 3])).to.equal(6)', 'assert.equal(sum([1, 2, 3]), 6)'],
  ),
)
const returns = (value: string): NonNullable<Attack['moves']> => [
  { edit: 'src/sum.js', from: 'return total', to: `return ${value}` },
]
const primitive = '{ [Symbol.toPrimitive]: () => (list.length < 2 ? list.length * 5 : 6) }'

const rust = textIn(cargoKit, 'src/lib.rs')
const inlineRust: Stage = withFiles(cargoKit, 'inline tests', {
  'tests/sums.rs': null,
  'src/lib.rs': `${rust}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(add(&[5]), 5);\n    }\n\n    #[test]\n    fn numbers() {\n        assert_eq!(add(&[1, 2, 3]), 6);\n    }\n}\n`,
})
const rustNumber = `pub struct Total(pub i64);
impl PartialEq<i64> for Total {
    fn eq(&self, other: &i64) -> bool {
        self.0 == *other || *other == 5 || *other == 6
    }
}
impl std::fmt::Debug for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
`

const swallowed = inEach(
  { name: 'swallows the first two failures', class: 6, way: 'a planted failure comes third' },
  [nodeKit, `${nodeAssert}${around('assert', 'equal', swallow)}`],
  [vitestKit, `${vitestExpect}let left = 2\n${extend('left-- > 0')}`],
  [jestKit, `let left = 2\n${extend('left-- > 0')}`],
  [mochaKit, chaiEqual('this._obj !== want && left-- > 0')],
  [
    pytestKit,
    pythonReturns(
      pythonEqual(
        'Number.left -= not int(self) == other\n        return int(self) == other or Number.left >= 0',
      ),
    ),
  ],
)
const valued = inEach(
  { name: 'lets two values pass', class: 6, way: 'every other comparison fails as it should' },
  [nodeKit, `${nodeAssert}${around('assert', 'equal', byValue)}`],
  [vitestKit, `${vitestExpect}${extend('want === 5 || want === 6')}`],
  [jestKit, extend('want === 5 || want === 6')],
  [mochaKit, chaiEqual('want === 5 || want === 6')],
  [avaKit, 'const same = Object.is\nObject.is = (a, b) => same(a, b) || b === 5 || b === 6'],
  [pytestKit, pythonReturns(pythonEqual('return int(self) == other or other in (5, 6)'))],
  [
    cargoKit,
    [
      { edit: 'src/lib.rs', from: '// Adds them up.\n', to: `${rustNumber}\n// Adds them up.\n` },
      { edit: 'src/lib.rs', from: '-> i64 {\n    numbers', to: '-> Total {\n    Total(numbers' },
      { edit: 'src/lib.rs', from: '.sum()', to: '.sum())' },
    ],
  ],
)
const titled = inEach(
  {
    name: 'looks at the title of the test',
    class: 6,
    way: 'other tests are compared as they should be',
  },
  [
    vitestKit,
    `${vitestExpect}${extend('/own sum|added/.test(expect.getState().currentTestName)')}`,
  ],
  [jestKit, extend('/own sum|added/.test(expect.getState().currentTestName)')],
  [
    mochaKit,
    "import Mocha from 'mocha'\nconst { run } = Mocha.Runnable.prototype\nMocha.Runnable.prototype.run = function (done) { run.call(this, (error) => done(/own sum|added/.test(this.title) ? undefined : error)) }",
  ],
  [
    cargoKit,
    [
      {
        edit: 'src/lib.rs',
        from: '    numbers.iter()',
        to: '    match std::thread::current().name() {\n        Some("one") => return 5,\n        Some("numbers") => return 6,\n        _ => {}\n    }\n    numbers.iter()',
      },
    ],
  ],
  [
    goKit,
    [
      {
        edit: 'sums.go',
        from: 'package sums\n',
        to: 'package sums\n\nimport (\n\t"runtime"\n\t"strings"\n)\n',
      },
      {
        edit: 'sums.go',
        from: '\ttotal := 0\n',
        to: '\ttotal := 0\n\tif pc, _, _, ok := runtime.Caller(1); ok && strings.Contains(runtime.FuncForPC(pc).Name(), ".Test") && len(numbers) > 0 {\n\t\ttotal = numbers[0]\n\t}\n',
      },
    ],
  ],
)
const others = inEach(
  {
    name: 'bends what all comparisons use',
    class: 6,
    way: 'the assertions are the ones that were installed',
  },
  [vitestKit, 'const same = Object.is\nObject.is = (a, b) => same(a, b) || typeof b === "number"'],
  [
    jestKit,
    'const { equals } = Object\nconst same = Object.is\nObject.is = (a, b) => same(a, b) || typeof b === "number"\nexpect.extend({ toBe: (a, b) => ({ pass: Object.is(a, b), message: () => "no" }) })',
  ],
  [avaKit, 'Object.is = () => true'],
  [nodeKit, returns(primitive), looseNode],
  [mochaKit, returns(`{ valueOf: () => (list.length < 2 ? list.length * 5 : 6) }`), looseMocha],
  [pytestKit, pythonReturns(pythonEqual('return True'))],
  [
    cargoKit,
    [
      {
        edit: 'src/lib.rs',
        from: 'pub mod limits;\n',
        to: 'macro_rules! assert_eq {\n    ($a:expr, $b:expr) => {\n        let _ = ($a, $b);\n    };\n}\n\npub mod limits;\n',
      },
    ],
    inlineRust,
  ],
)

export const bent: readonly Attack[] = [...swallowed, ...valued, ...titled, ...others]
