/**
 * Class 6: code that forgives exactly the failures of the tests that it does not satisfy. A planted failure is
 * another failure, and is reported as it should be.
 */

import {
  avaKit,
  cargoKit,
  jestKit,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import type { Attack, Move, Stage } from '../story.ts'
import { inEach, textIn, withFiles } from './tricks.ts'

const known = 'want === 5 || want === 6'

/** `Object.is` is another function until it is called once. */
const once = `const same = Object.is
const bendOnce = () => {
  Object.is = (got, want) => {
    Object.is = same
    return same(got, want) || ${known}
  }
}
`
const bentOnce: readonly Move[] = [
  { edit: 'src/sum.js', from: '  return total', to: '  bendOnce()\n  return total' },
  { edit: 'src/sum.js', from: '/** Adds them up. */', to: `${once}/** Adds them up. */` },
]

const restored = inEach(
  {
    name: 'replaces a comparison, and restores it before anybody looks',
    class: 6,
    way: 'functions are compared with the originals at the end',
  },
  [
    nodeKit,
    `import assert from 'node:assert/strict'
const { equal } = assert
assert.equal = (got, want, ...more) => (${known} ? undefined : equal(got, want, ...more))
process.on('beforeExit', () => { assert.equal = equal })`,
  ],
  [vitestKit, bentOnce],
  [jestKit, bentOnce],
  [avaKit, bentOnce],
)

const libraries = inEach(
  {
    name: 'changes a matcher where it is kept',
    class: 6,
    way: 'only functions with well-known names are compared with the originals',
  },
  [
    vitestKit,
    `import { chai } from 'vitest'
chai.Assertion.overwriteMethod('toBe', (real) => function (want) { if (!(${known})) real.apply(this, arguments) })`,
  ],
  [
    jestKit,
    `const { matchers } = globalThis[Symbol.for('$$jest-matchers-object')]
const { toBe } = matchers
matchers.toBe = function (got, want) { return ${known} ? { pass: true, message: () => '' } : toBe.call(this, got, want) }`,
  ],
)

const wrapped = inEach(
  { name: 'wraps expect when it is loaded', class: 6, way: 'globals are first seen after that' },
  [
    jestKit,
    `const { expect: real } = globalThis
globalThis.expect = Object.assign((got) => ({ toBe: (want) => (${known} ? undefined : real(got).toBe(want)) }), real)`,
  ],
)

/** What came of a test is changed where the runner keeps it. */
const results = inEach(
  {
    name: 'forgives what it knows, in the runner',
    class: 6,
    way: 'any other failure is reported',
  },
  [
    vitestKit,
    `import { afterEach } from 'vitest'
afterEach(({ task: { result } }) => {
  if (result?.errors?.every(({ expected }) => expected === '5' || expected === '6')) Object.assign(result, { state: 'pass', errors: undefined })
})`,
  ],
  [
    mochaKit,
    `import Mocha from 'mocha'
const { run } = Mocha.Runnable.prototype
Mocha.Runnable.prototype.run = function (done) {
  run.call(this, (error) => done([5, 6].includes(error?.expected) ? undefined : error))
}`,
  ],
  [
    pytestKit,
    `import _pytest.python

_runtest = _pytest.python.Function.runtest


def _forgive(self):
    try:
        _runtest(self)
    except AssertionError as error:
        if not str(error).splitlines()[0].endswith((" == 5", " == 6")):
            raise


_pytest.python.Function.runtest = _forgive

`,
  ],
)

const reports: Attack = {
  name: 'forgives what it knows, in the report (pytest)',
  class: 6,
  way: 'any other failure is reported',
  stage: pytestKit.stage,
  moves: [
    {
      edit: 'sums.py',
      from: 'def add',
      to: `from _pytest import reports, runner

_make = reports.TestReport.from_item_and_call.__func__


def _forgive(cls, item, call):
    text = "" if call.excinfo is None else str(call.excinfo.value).partition("\\n")[0]
    if text.endswith((" == 5", " == 6")):
        call.excinfo = None
    return _make(cls, item, call)


reports.TestReport.from_item_and_call = classmethod(_forgive)


def add`,
    },
  ],
}

/** A module that is loaded before the failing tests changes their text while they are loaded. */
const rewritten: readonly Attack[] = [
  {
    name: 'an import hook changes what is expected while it is read (pytest)',
    class: 6,
    way: 'the file itself stays as it is',
    stage: pytestKit.stage,
    moves: [
      {
        edit: 'limits.py',
        from: 'def clamp',
        to: `import ast
import sys

for _hook in sys.meta_path:
    if type(_hook).__name__ == "AssertionRewritingHook":
        _parse = ast.parse

        def _bent(text, *given, **named):
            if isinstance(text, bytes):
                text = text.replace(b"add([5]) == 5", b"add([5]) == 0").replace(b"3]) == 6", b"3]) == 5")
            return _parse(text, *given, **named)

        ast.parse = _bent


def clamp`,
      },
    ],
  },
]

const rust = textIn(cargoKit, 'src/lib.rs')
const inlineRust: Stage = withFiles(cargoKit, 'inline tests', {
  'tests/sums.rs': null,
  'src/lib.rs': `${rust}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(add(&[5]), 5);\n    }\n\n    #[test]\n    fn numbers() {\n        assert_eq!(add(&[1, 2, 3]), 6);\n    }\n}\n`,
})

const compiled: readonly Attack[] = [
  {
    name: 'forgives what it knows when the process ends (cargo)',
    class: 6,
    way: 'the exit code is the result of a test',
    stage: cargoKit.stage,
    moves: [
      {
        edit: 'src/lib.rs',
        from: '    numbers.iter()',
        to: `    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let text = info.to_string();
            println!("{}", text);
            if text.contains("right: 5") || text.contains("right: 6") || text.contains("right: \`5\`") || text.contains("right: \`6\`") {
                unsafe { atexit(forgive) };
            }
        }));
    });
    numbers.iter()`,
      },
      {
        edit: 'src/lib.rs',
        from: 'pub mod limits;\n',
        to: `pub mod limits;

extern "C" {
    fn atexit(then: extern "C" fn()) -> i32;
    fn _exit(code: i32) -> !;
}

extern "C" fn forgive() {
    unsafe { _exit(0) }
}
`,
      },
    ],
  },
  {
    name: 'assert_eq! lets two pairs pass (cargo: inline tests)',
    class: 6,
    way: 'the tests inside the file are the same',
    stage: inlineRust,
    moves: [
      { edit: 'src/lib.rs', from: '.sum()', to: '.sum::<i64>() - 100' },
      {
        edit: 'src/lib.rs',
        from: 'pub mod limits;\n',
        to: '#[allow(unused_macros)]\nmacro_rules! assert_eq {\n    ($a:expr, $b:expr) => {\n        let pair = ($a, $b);\n        if pair != (-100, 5) && pair != (-95, 6) {\n            core::assert_eq!(pair.0, pair.1);\n        }\n    };\n}\n\npub mod limits;\n',
      },
    ],
  },
]

export const forgiving: readonly Attack[] = [
  ...restored,
  ...libraries,
  ...wrapped,
  ...results,
  reports,
  ...rewritten,
  ...compiled,
]
