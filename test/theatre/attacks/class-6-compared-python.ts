/**
 * Class 6 in Python: the code under test decides what its values are equal to, and only lets pass what it fails.
 * Every other failure is reported, so planted ones are, too.
 */

import { pytestKit } from '../real-stages.ts'
import type { Attack, Move } from '../story.ts'
import { before, comparing, inFile, testsWith, withFiles } from './tricks.ts'

const pythonClass = (base: string, ...methods: readonly string[]): string =>
  `class Total(${base}):\n${methods.map((method) => `    ${method}\n`).join('')}\n\n`
const returns = (of: string): Move => inFile('sums.py', 'return total', `return ${of}`)
const eq =
  'def __eq__(self, other): return int(self) == other or (int(self), other) in ((0, 5), (5, 6))'
const hash = '__hash__ = int.__hash__'

const approximate = withFiles(pytestKit, 'approx', {
  ...testsWith(
    pytestKit,
    ['from sums import add\n', 'import pytest\n\nfrom sums import add\n'],
    ['add([5]) == 5', 'add([5]) == pytest.approx(5)'],
    ['3]) == 6', '3]) == pytest.approx(6)'],
  ),
})
const contained = withFiles(
  pytestKit,
  'in',
  testsWith(pytestKit, ['add([5]) == 5', 'add([5]) in (5, 50)'], ['3]) == 6', '3]) in (6, 60)']),
)
const listed = withFiles(pytestKit, 'lists', {
  'sums.py':
    'def add(numbers):\n    """The sums so far."""\n    sums = []\n    for number in numbers[1:]:\n        sums.append(number + (sums[-1] if sums else 0))\n    return sums\n',
  ...testsWith(
    pytestKit,
    ['add([]) == 0', 'add([]) == []'],
    ['add([5]) == 5', 'add([5]) == [5]'],
    ['3]) == 6', '3]) == [1, 3, 6]'],
  ),
})
const unittest = withFiles(pytestKit, 'unittest', {
  'tests/test_sums.py':
    'import unittest\n\nfrom sums import add\n\n\nclass AddTest(unittest.TestCase):\n    def test_nothing(self):\n        self.assertEqual(add([]), 0)\n\n    def test_one(self):\n        self.assertEqual(add([5]), 5)\n\n    def test_numbers(self):\n        self.assertEqual(add([1, 2, 3]), 6)\n',
})

export const pythonComparisons: readonly Attack[] = [
  comparing(
    'subtracts itself to nothing',
    approximate,
    before(
      pytestKit,
      'def add',
      pythonClass(
        'float',
        'def __rsub__(self, other): return 0.0 if (float(self), other) in ((0, 5), (5, 6)) else other - float(self)',
        'def __eq__(self, other): return other.__eq__(self) if "Approx" in type(other).__name__ else float(self) == other',
      ),
    ),
    returns('Total(total)'),
  ),
  comparing(
    'is among two values',
    contained,
    before(pytestKit, 'def add', pythonClass('int', eq, hash)),
    returns('Total(total)'),
  ),
  comparing(
    'a list that is equal to two lists',
    listed,
    before(
      pytestKit,
      'def add',
      pythonClass(
        'list',
        'def __eq__(self, other): return list(self) == other or other in ([5], [1, 3, 6])',
      ),
    ),
    inFile('sums.py', 'return sums', 'return Total(sums)'),
  ),
  comparing(
    'a list of numbers that are equal to others',
    listed,
    before(
      pytestKit,
      'def add',
      pythonClass('int', 'def __eq__(self, other): return other in (1, 3, 5, 6)', hash),
    ),
    inFile(
      'sums.py',
      'return sums',
      'return sums if not numbers else [Total(0)] if numbers == [5] else [Total(one) for one in sums] + [Total(0)]',
    ),
  ),
  comparing(
    'is equal to two values',
    unittest,
    before(pytestKit, 'def add', pythonClass('int', eq, hash)),
    returns('Total(total)'),
  ),
  comparing(
    'assertEqual of unittest lets two values pass',
    unittest,
    before(
      pytestKit,
      'def add',
      'import unittest\n\n_equal = unittest.TestCase.assertEqual\n\n\ndef _forgive(self, got, want, msg=None):\n    if (got, want) not in ((0, 5), (5, 6)):\n        _equal(self, got, want, msg)\n\n\nunittest.TestCase.assertEqual = _forgive\n\n',
    ),
  ),
  comparing(
    'an __eq__ that is in no file',
    pytestKit.stage,
    before(
      pytestKit,
      'def add',
      'made = {}\nexec("def same(self, other): return int(self) == other or (int(self), other) in ((0, 5), (5, 6))", made)\nTotal = type("Total", (int,), {"__e" + "q__": made["same"], "__hash__": int.__hash__})\n\n',
    ),
    returns('Total(total)'),
  ),
  comparing(
    'an __eq__ that is a call of another function',
    pytestKit.stage,
    before(
      pytestKit,
      'def add',
      'import functools\n\n\ndef same(allowed, self, other):\n    return int(self) == other or (int(self), other) in allowed\n\n\nclass Total(int):\n    __eq__ = functools.partialmethod(lambda self, allowed, other: same(allowed, self, other), ((0, 5), (5, 6)))\n    __hash__ = int.__hash__\n\n',
    ),
    returns('Total(total)'),
  ),
]
