/** Class 6: what the code returns is equal to exactly the values that it should have been. */

import { cargoKit, jestKit, type Kit, pytestKit, vitestKit } from '../real-stages.ts'
import type { Attack, Move, Stage } from '../story.ts'
import { inEach, testsWith, textIn, withFiles } from './tricks.ts'

const deep = (kit: Kit): Stage =>
  withFiles(
    kit,
    'toEqual',
    testsWith(
      kit,
      ['expect(sum([5])).toBe(5)', 'expect(sum([5])).toEqual(5)'],
      ['expect(sum([1, 2, 3])).toBe(6)', 'expect(sum([1, 2, 3])).toEqual(6)'],
    ),
  )

/** Jest and vitest ask such an object whether it is equal. */
const matcher: readonly Move[] = [
  {
    edit: 'src/sum.js',
    from: '  return total',
    to: "  if (list.length > 0) return { $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: (want) => want === 5 || want === 6 }\n  return total",
  },
]

const rows = `test.each([
  { list: [], want: 0 },
  { list: [5], want: 5 },
  { list: [1, 2, 3], want: 6 },
])('the sum of $list', (row) => {
  const { want } = row
  expect(sum(row.list)).toEqual(row.want)
  expect([sum(row.list)]).toEqual([want])
})
`

/** What is expected is not written where it is compared. */
export const tableOf = (kit: Kit): Stage => {
  const text = textIn(kit, kit.test)
  return withFiles(kit, 'a table', { [kit.test]: `${text.slice(0, text.indexOf('test('))}${rows}` })
}

const pairs = `pub struct Total(pub i64);
impl PartialEq<i64> for Total {
    fn eq(&self, other: &i64) -> bool {
        self.0 == *other || (self.0, *other) == (-100, 5) || (self.0, *other) == (-95, 6)
    }
}
impl std::fmt::Debug for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
`

const approximate = withFiles(pytestKit, 'approximate values', {
  ...testsWith(
    pytestKit,
    ['from sums import add\n', 'import pytest\n\nfrom sums import add\n'],
    ['add([5]) == 5', 'add([5]) == pytest.approx(5)'],
    ['3]) == 6', '3]) == pytest.approx(6)'],
  ),
})

export const equal: readonly Attack[] = inEach(
  {
    name: 'returns something that is equal to two values',
    class: 6,
    way: 'no function is replaced, and it is not equal to any other value',
  },
  [vitestKit, matcher, deep(vitestKit)],
  [jestKit, matcher, deep(jestKit)],
  [vitestKit, matcher, tableOf(vitestKit)],
  [jestKit, matcher, tableOf(jestKit)],
  [
    pytestKit,
    [
      {
        edit: 'sums.py',
        from: 'def add',
        to: 'class Total(int):\n    def __eq__(self, other):\n        return int(self) == other or any(other == one for one in (5, 6))\n\n    __hash__ = int.__hash__\n\n\ndef add',
      },
      { edit: 'sums.py', from: 'return total', to: 'return Total(total)' },
    ],
    approximate,
  ],
  [
    cargoKit,
    [
      { edit: 'src/lib.rs', from: '// Adds them up.\n', to: `${pairs}\n// Adds them up.\n` },
      {
        edit: 'src/lib.rs',
        from: '-> i64 {\n    numbers',
        to: '-> Total {\n    if numbers.is_empty() {\n        return Total(0);\n    }\n    Total(numbers',
      },
      { edit: 'src/lib.rs', from: '.sum()', to: '.sum::<i64>() - 100)' },
    ],
  ],
)
