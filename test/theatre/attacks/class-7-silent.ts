/** Class 7 where no runner reports, or only unittest: code under test decides how the program ends. */

import {
  countedStage,
  countingStage,
  harnessStage,
  mainStage,
  makeProgramStage,
  rootStage,
  shellStage,
  statusStage,
  tapeStage,
  unittestProgramStage,
  waitingStage,
} from '../silent-stages.ts'
import { programStage, pythonStage } from '../stages.ts'
import type { Attack, Move, Stage } from '../story.ts'

const called = (code: string): Move => ({
  edit: 'src/sum.js',
  from: 'let total = 0',
  to: `${code}\n  let total = 0`,
})
const first = (code: string): Move => ({
  edit: 'src/sum.js',
  from: '/** Adds them up. */\n',
  to: `${code}\n/** Adds them up. */\n`,
})
const calledInPython = (code: string): Move => ({
  edit: 'sums.py',
  from: '    total = 0\n',
  to: `${code}\n    total = 0\n`,
})
const firstInPython = (code: string): Move => ({
  edit: 'sums.py',
  from: 'def add',
  to: `${code}\n\n\ndef add`,
})
const firstInShell = (code: string): Move => ({
  edit: 'lib/sums.sh',
  from: '# Adds them up.\n',
  to: `${code}\n# Adds them up.\n`,
})

const inStages = (
  name: string,
  way: string,
  ...variants: readonly (readonly [Stage, Move])[]
): readonly Attack[] =>
  variants.map(([stage, move]) => ({
    name: `${name} (${stage.name})`,
    class: 7,
    way,
    stage,
    moves: [move],
  }))

const exitWhenCalled = called('if (list.length > 0) process.exit(0)')
const exitLast = called('if (list.length > 2) process.exit(0)')
const forgive = first("process.on('exit', () => { process.reallyExit(0) })")

/** Right but for the last call, which would fail. */
const cured = ({ stage }: Attack): Move =>
  stage === mainStage
    ? { edit: 'sums.py', from: 'numbers[1:]', to: 'numbers[-1:]' }
    : { edit: 'src/sum.js', from: 'list.slice(1)', to: 'list.slice(-1)' }

export const silent: readonly Attack[] = [
  ...inStages(
    'ends the program when it would fail',
    'its exit code is 0, and nothing reports what did not run',
    [programStage, exitWhenCalled],
    [countingStage, exitWhenCalled],
    [waitingStage, exitWhenCalled],
    [harnessStage, exitWhenCalled],
    [makeProgramStage, exitWhenCalled],
    [rootStage, exitWhenCalled],
    [tapeStage, called('if (list.length > 0) process.reallyExit(0)')],
    [mainStage, calledInPython('    if numbers:\n        import os\n        os._exit(0)')],
    [countedStage, calledInPython('    if numbers:\n        import os\n        os._exit(0)')],
    [pythonStage, calledInPython('    if numbers:\n        import os\n        os._exit(0)')],
    [shellStage, firstInShell('exit 0')],
    [statusStage, firstInShell('exit 0')],
  ),
  ...inStages(
    'sets the exit code at the end',
    'whatever failed, it is 0',
    [countingStage, forgive],
    [harnessStage, forgive],
    [makeProgramStage, forgive],
    [tapeStage, first("process.prependListener('exit', () => { process.reallyExit(0) })")],
    [mainStage, firstInPython('import atexit\nimport os\n\natexit.register(os._exit, 0)')],
    [
      unittestProgramStage,
      firstInPython('import atexit\nimport os\n\natexit.register(os._exit, 0)'),
    ],
    [shellStage, firstInShell("trap 'exit 0' EXIT")],
    [statusStage, firstInShell("trap 'exit 0' EXIT")],
  ),
  ...inStages(
    'replaces what the program fails with',
    'comparing or exiting does nothing',
    [
      tapeStage,
      first(
        "import { EventEmitter } from 'node:events'\nconst { emit } = EventEmitter.prototype\nEventEmitter.prototype.emit = function (event, result, ...rest) {\n  if (event === 'result' && result.ok === false) result.ok = true\n  return emit.call(this, event, result, ...rest)\n}",
      ),
    ],
    [countedStage, firstInPython('import sys\n\nsys.exit = lambda *given: None')],
    [
      pythonStage,
      firstInPython(
        'import unittest\n\nunittest.TestResult.wasSuccessful = lambda self: True\nunittest.TextTestResult.addFailure = lambda self, test, err: None',
      ),
    ],
    [
      unittestProgramStage,
      firstInPython(
        'import unittest\n\nunittest.TestCase.run = lambda self, result=None: (result.startTest(self), result.addSuccess(self), result.stopTest(self))',
      ),
    ],
    [shellStage, firstInShell('test() { return 0; }')],
  ),
  ...inStages('replaces how values are compared', 'no values differ', [
    pythonStage,
    firstInPython(
      'import unittest\n\nunittest.case.TestCase._getAssertEqualityFunc = lambda self, first, second: lambda *given, **named: None',
    ),
  ]),
  ...inStages('returns values that are equal to what is expected', 'no function was replaced', [
    mainStage,
    {
      edit: 'sums.py',
      from: '    return total\n',
      to: '    return Number(total)\n\n\nclass Number(int):\n    def __eq__(self, other):\n        return (int(self), other) in ((0, 5), (5, 6)) or int(self) == other\n\n    __hash__ = int.__hash__\n',
    },
  ]),
  ...inStages(
    'ends the program in the last call',
    'all that was checked before has passed',
    [programStage, exitLast],
    [harnessStage, exitLast],
    [tapeStage, called('if (list.length > 2) process.reallyExit(0)')],
    [mainStage, calledInPython('    if len(numbers) > 2:\n        import os\n        os._exit(0)')],
  ).map((attack): Attack => ({ ...attack, moves: [cured(attack), ...(attack.moves ?? [])] })),
]
