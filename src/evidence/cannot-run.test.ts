import { describe, expect, test } from 'vitest'
import { cannotRun } from './cannot-run.ts'

/** Output of real programs. */
const stopped: readonly (readonly [string, number, string, RegExp])[] = [
  ['dash', 127, 'sh: 1: mocha: not found', /^sh: 1: mocha: not found\. "mocha" is not installed/],
  ['bash', 127, 'bash: line 1: vitest: command not found', /"vitest" is not installed/],
  ['a wrong path', 127, 'sh: 1: ./run.sh: not found', /"\.\/run\.sh" is not installed/],
  ['nothing printed', 127, '', /exit code 127/],
  ['not executable', 126, 'sh: 1: ./test.sh: Permission denied', /Make the program executable/],
  ['npm without a script', 1, 'npm error Missing script: "test"', /has no script "test"/],
  [
    'npm with a misspelled command',
    1,
    'Unknown command: "tset"\n\nDid you mean this?\n  npm set\nTo see a list of supported npm commands, run:\n  npm help',
    /npm has no command "tset"/,
  ],
  ['pnpm', 1, ' ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command "tests" not found', /script "tests"/],
  ['yarn 1', 1, 'error Command "tests" not found.', /script "tests"/],
  ['yarn 4', 1, 'Usage Error: Couldn\'t find a script named "tests".', /script "tests"/],
  ['cargo', 101, 'error: no such command: `tests`', /cargo has no command "tests"/],
  ['go', 2, "go tests: unknown command\nRun 'go help' for usage.", /go has no command "tests"/],
  ['make', 2, "make: *** No rule to make target 'tests'.  Stop.", /no target "tests"/],
  [
    'npx offline',
    1,
    'npm error npx canceled due to missing packages and no YES option: ["vitest@4.1.12"]',
    /"vitest" is not installed/,
  ],
  [
    'a package of Node',
    1,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chai' imported from /w/a.test.js",
    /The package "chai" is not installed/,
  ],
  [
    'a scoped one',
    1,
    "Error: Cannot find module '@sinonjs/fake-timers/lib'",
    /"@sinonjs\/fake-timers"/,
  ],
  ['python -m', 1, '/usr/bin/python3: No module named pytest', /no module "pytest"/],
  [
    'a plugin of pytest',
    4,
    'ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --cov=src',
    /does not know --cov/,
  ],
  ['no network', 1, 'npm error code EAI_AGAIN', /sandbox\.network/],
  ['cargo offline', 101, 'error: no matching package named `serde` found', /A crate is missing/],
  [
    'a read-only file system',
    1,
    "Error: EROFS: read-only file system, open '/x/node_modules/.vite/a'",
    /read-only in the sandbox/,
  ],
]

/** These ran and failed. */
const failed: readonly (readonly [string, number, string])[] = [
  ['an assertion', 1, 'AssertionError: expected 1 to equal 2'],
  ['a missing file of the project', 1, "Error: Cannot find module './add.js'"],
  ['a missing file by its absolute path', 1, "Error: Cannot find module '/work/src/add.js'"],
  ['a module of the project in Python', 2, "E   ModuleNotFoundError: No module named 'shop.cart'"],
  ['a new module of the project', 2, "E   ModuleNotFoundError: No module named 'cart'"],
  ['a command line of the project', 1, 'Unknown command: "tset"'],
  [
    'a missing file that make needs',
    2,
    "make: *** No rule to make target 'a.c', needed by 'a'.  Stop.",
  ],
  ['a word in a test name', 1, 'not ok 1 - says "mocha: not found" to the user'],
  ['no tests in pytest', 5, 'no tests ran in 0.01s'],
]

describe('a check that could not run', () => {
  test.each(stopped)('%s', (_name, exitCode, output, reason) => {
    expect(cannotRun({ exitCode, output })).toMatch(reason)
    const colored = `\u001B[31m${output}\u001B[39m`
    expect(cannotRun({ exitCode, output: colored })).toMatch(reason)
  })

  test.each(failed)('is not %s', (_name, exitCode, output) => {
    expect(cannotRun({ exitCode, output })).toBeUndefined()
  })

  test('a Python package that lacks a module it needs', () => {
    const traceback = (file: string): string =>
      `Traceback (most recent call last):\n  File "<frozen runpy>", line 198, in _run\n  File "${file}", line 7, in <module>\n    import py\nModuleNotFoundError: No module named 'py'`
    const installed = '/w/.venv/lib/python3.11/site-packages/_pytest/compat.py'
    expect(cannotRun({ exitCode: 1, output: traceback(installed) })).toContain('needs "py"')
    expect(cannotRun({ exitCode: 1, output: traceback('/w/src/shop.py') })).toBeUndefined()
  })

  test('is not one in which tests passed, whatever they print', () => {
    const output = "Error: Cannot find module 'chai'"
    expect(cannotRun({ exitCode: 1, output })).toBeDefined()
    for (const passed of [
      '  ✔ adds (1ms)',
      'ok 3 - adds',
      '# pass 2',
      '=== 1 failed, 2 passed in 0.1s ===',
      '  2 passing (5ms)',
      'Tests:       1 failed, 2 passed, 3 total',
      'test result: FAILED. 2 passed; 1 failed; 0 ignored',
      'ok  \texample.com/sum\t0.002s',
    ]) {
      expect(cannotRun({ exitCode: 1, output: `${output}\n${passed}` })).toBeUndefined()
    }
  })

  test('is recognized in linear time', () => {
    const long = `${"Cannot find module '".repeat(100_000)}\n${'a'.repeat(5_000_000)}\n`.repeat(2)
    const startMs = performance.now()
    expect(cannotRun({ exitCode: 1, output: long })).toBeUndefined()
    expect(performance.now() - startMs).toBeLessThan(2000)
  })
})
