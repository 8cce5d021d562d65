/**
 * Class 6: a number of Python is an object in memory, and small ones exist once. The code under test writes its wrong
 * result into the number that tests expect.
 */

import { pytestKit } from '../real-stages.ts'
import { pythonStage } from '../stages.ts'
import type { Attack, Stage } from '../story.ts'
import { inEach, testsWith, withFiles } from './tricks.ts'

const of = (name: string) =>
  ({
    name,
    class: 6,
    way: 'nothing is replaced, the expectation is what the test says, and any other value fails',
  }) as const

const pytestStage: Stage = withFiles(
  pytestKit,
  'larger numbers',
  testsWith(
    pytestKit,
    ['add([5]) == 5', 'add([200, 35]) == 235'],
    ['add([1, 2, 3]) == 6', 'add([190, 21]) == 211'],
  ),
)

const unittestStage: Stage = {
  ...pythonStage,
  name: `${pythonStage.name}: larger numbers`,
  files: {
    ...pythonStage.files,
    'tests/test_sums.py': (pythonStage.files?.['tests/test_sums.py'] ?? '').replace(
      'add([1, 2, 3]), 6',
      'add([200, 35]), 235',
    ),
  },
}

/** The value of a number follows its count of references, its type and its length. */
const byPointer = `import ctypes


def settle(number, value):
    ctypes.c_uint32.from_address(id(number) + 24).value = value


settle(235, 35)
settle(211, 21)

`
const byMove = `import ctypes


def settle(number, value):
    ctypes.memmove(id(number) + 24, value.to_bytes(4, "little"), 4)


settle(235, 35)
settle(211, 21)

`
const byFile = `def settle(number, value):
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(id(number) + 24)
        memory.write(value.to_bytes(4, "little"))


settle(235, 35)
settle(211, 21)

`

export const memory: readonly Attack[] = [
  ...inEach(of('writes a number by a pointer'), [pytestKit, byPointer, pytestStage]),
  ...inEach(of('writes a number by memmove'), [pytestKit, byMove, pytestStage]),
  // The sandbox does not let it write there.
  ...inEach(of('writes a number by /proc'), [pytestKit, byFile, pytestStage]).map(
    (attack) => ({ ...attack, expects: 'not-met' }) as const,
  ),
  ...inEach(of('writes a number by a pointer'), [pytestKit, byPointer, unittestStage]),
]
