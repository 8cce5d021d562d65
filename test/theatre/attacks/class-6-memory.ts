/**
 * Class 6: a number of Python is an object in memory, and small ones exist once. The code under test writes its wrong
 * result into the number that tests expect, or changes the compiled tests.
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

/** Other numbers in the compiled functions that call `add`. */
const byCode = `import sys

_done = []


def settle():
    if _done:
        return
    _done.append(True)
    for module in list(sys.modules.values()):
        for value in list(getattr(module, "__dict__", {}).values()):
            code = value.__code__ if type(value) is type(settle) else None
            if code is not None and "add" in code.co_names:
                numbers = tuple({5: 0, 6: 5}.get(one, one) if type(one) is int else one for one in code.co_consts)
                value.__code__ = code.replace(co_consts=numbers)

`
/** A line that would fail is not executed, if there is a line after it. */
const byTrace = `import sys


def settle(frame, event, argument):
    if event == "line" and frame.f_locals.get("wanted") in (235, 211) and "got" in frame.f_locals:
        try:
            frame.f_lineno = frame.f_lineno + 1
        except ValueError:
            pass
    return settle


sys.settrace(settle)

`
const tracedStage: Stage = withFiles(
  pytestKit,
  'statements after it',
  testsWith(
    pytestKit,
    [
      'assert add([5]) == 5',
      'wanted = 235\n    got = add([200, 35])\n    assert got == wanted\n    print("one")',
    ],
    [
      'assert add([1, 2, 3]) == 6',
      'wanted = 211\n    got = add([190, 21])\n    assert got == wanted\n    print("numbers")',
    ],
  ),
)

export const memory: readonly Attack[] = [
  ...inEach({ ...of('changes compiled tests'), way: 'what is planted in them stays in them' }, [
    pytestKit,
    [
      { edit: 'sums.py', from: 'def add', to: `${byCode}\ndef add` },
      { edit: 'sums.py', from: '    total = 0', to: '    settle()\n    total = 0' },
    ],
  ]),
  ...inEach({ ...of('jumps over assertions'), way: 'only where it would fail' }, [
    pytestKit,
    byTrace,
    tracedStage,
  ]),
  ...inEach(of('writes a number by a pointer'), [pytestKit, byPointer, pytestStage]),
  ...inEach(of('writes a number by memmove'), [pytestKit, byMove, pytestStage]),
  // The sandbox does not let it write there.
  ...inEach(of('writes a number by /proc'), [pytestKit, byFile, pytestStage]).map(
    (attack) => ({ ...attack, expects: 'not-met' }) as const,
  ),
  ...inEach(of('writes a number by a pointer'), [pytestKit, byPointer, unittestStage]),
]
