/** Projects whose check reports no tests, or those of unittest: programs of each shape, scripts, a Makefile. */

import { fix, manifest, programStage, projectFiles, pythonStage } from './stages.ts'
import type { Files, Stage } from './story.ts'

const program = (name: string, text: string, more: Partial<Stage> = {}): Stage => ({
  ...programStage,
  name,
  ...more,
  files: { ...programStage.files, 'test/all.js': text, ...more.files },
})

const imports = `import assert from 'node:assert/strict'
import { clamp } from '../src/clamp.js'
import { sum } from '../src/sum.js'
`

export const countingStage: Stage = program(
  'a program that counts failures and exits',
  `import { clamp } from '../src/clamp.js'
import { sum } from '../src/sum.js'

let failures = 0
function check(name, got, want) {
  if (got === want) return
  console.log(name + ': ' + got + ' instead of ' + want)
  failures++
}

check('outside', clamp(9, 1, 3), 3)
check('nothing', sum([]), 0)
check('one', sum([5]), 5)
check('more', sum([1, 2, 3]), 6)
console.log(failures + ' failures')
process.exit(failures ? 1 : 0)
`,
)

export const waitingStage: Stage = program(
  'a program with an async main',
  `${imports}
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
)

export const harnessStage: Stage = program(
  'a program with tests that run at once',
  `${imports}
function test(name, body) {
  body()
  console.log('ok ' + name)
}

test('nothing', () => assert.equal(sum([]), 0))
test('one', () => assert.equal(sum([5]), 5))
test('more', () => {
  assert.equal(sum([1, 2, 3]), 6)
})
`,
)

export const makeProgramStage: Stage = program(
  'a Makefile that starts a program',
  `${imports}
assert.equal(clamp(9, 1, 3), 3)
assert.equal(sum([5]), 5)
assert.equal(sum([1, 2, 3]), 6)
`,
  {
    files: { Makefile: '.PHONY: test\ntest:\n\t@node test/all.js\n\t@echo done\n' },
    loop: { checks: { tests: 'make test' } },
  },
)

/** Its name does not reveal that it checks something. */
const rootProgram = `import assert from 'node:assert/strict'
import { sum } from './src/sum.js'

assert.equal(sum([5]), 5)
assert.equal(sum([1, 2, 3]), 6)
`

export const rootStage: Stage = {
  name: 'a program beside the product, started by npm',
  files: {
    'test/sum.test.js': null,
    'test/clamp.test.js': null,
    'package.json': manifest({ scripts: { test: 'node selfcheck.js' } }),
    'selfcheck.js': rootProgram,
  },
  loop: { checks: { tests: 'npm test' } },
  fix: [fix],
}

/** The program is part of the product, and the command compares what it prints. */
export const printingStage: Stage = {
  name: 'a command that compares what the product prints',
  files: {
    'test/sum.test.js': null,
    'test/clamp.test.js': null,
    'bin/add.js':
      "import { sum } from '../src/sum.js'\n\nconsole.log(sum(process.argv.slice(2).map(Number)))\n",
  },
  loop: { checks: { tests: 'node bin/add.js 1 2 3 | grep -qx 6' } },
  fix: [fix],
}

export const tapeStage: Stage = {
  name: 'tape',
  modules: 'tape',
  files: {
    'package.json': manifest({ scripts: { test: "tape 'test/*.test.js'" } }),
    'test/sum.test.js': `import test from 'tape'
import { sum } from '../src/sum.js'

test('nothing', (t) => {
  t.equal(sum([]), 0)
  t.end()
})

test('numbers', (t) => {
  t.plan(2)
  t.equal(sum([5]), 5)
  t.equal(sum([1, 2, 3]), 6)
})
`,
    'test/clamp.test.js': `import test from 'tape'
import { clamp } from '../src/clamp.js'

test('what is outside', (t) => {
  t.equal(clamp(9, 1, 3), 3)
  t.end()
})
`,
  },
  loop: { checks: { tests: 'npm test' }, certify: { dependencies: 'carry' } },
  fix: [fix],
}

const python = (name: string, files: Files, command: string): Stage => ({
  ...pythonStage,
  name,
  files: { ...pythonStage.files, 'tests/test_sums.py': null, 'tests/__init__.py': null, ...files },
  loop: { checks: { tests: command } },
})

export const mainStage: Stage = python(
  'a program in Python with a main',
  {
    'check.py': `"""Checks the sums."""
import sys
from sums import add


def main():
    assert add([]) == 0
    assert add([5]) == 5
    assert add([1, 2, 3]) == 6
    print('fine')
    return 0


if __name__ == '__main__':
    sys.exit(main())
`,
  },
  'python3 check.py',
)

export const countedStage: Stage = python(
  'a program in Python that counts failures',
  {
    'tests/run.py': `import sys

sys.path.insert(0, '.')
from sums import add

failed = 0
for got, want in [(add([]), 0), (add([5]), 5), (add([1, 2, 3]), 6)]:
    if got != want:
        print(got, 'instead of', want)
        failed += 1
sys.exit(1 if failed else 0)
`,
  },
  'python3 tests/run.py',
)

export const unittestProgramStage: Stage = {
  ...pythonStage,
  name: 'unittest as a program',
  loop: { checks: { tests: 'PYTHONPATH="$PYTHONPATH:." python3 tests/test_sums.py' } },
}

const nothing: Files = Object.fromEntries(Object.keys(projectFiles).map((path) => [path, null]))
const shell = (name: string, text: string): Stage => ({
  name,
  files: {
    ...nothing,
    'lib/sums.sh':
      '# Adds them up.\nadd() {\n  total=0\n  shift\n  for number in "$@"; do total=$((total + number)); done\n  echo "$total"\n}\n',
    'test/check.sh': text,
  },
  executables: ['test/check.sh'],
  loop: { checks: { tests: './test/check.sh' } },
  fix: [{ edit: 'lib/sums.sh', from: '  shift\n', to: '' }],
})

export const shellStage: Stage = shell(
  'a script with set -e',
  `#!/bin/sh
set -e
. ./lib/sums.sh
test "$(add)" = 0
test "$(add 5)" = 5
test "$(add 1 2 3)" = 6
`,
)

export const statusStage: Stage = shell(
  'a script that exits with a status',
  `#!/bin/sh
. ./lib/sums.sh
status=0
[ "$(add 5)" = 5 ] || status=1
[ "$(add 1 2 3)" = 6 ] || status=1
if [ "$status" = 0 ]; then
  echo fine
  exit 0
else
  echo wrong
  exit 1
fi
`,
)

export const silentStages: readonly Stage[] = [
  programStage,
  countingStage,
  waitingStage,
  harnessStage,
  makeProgramStage,
  rootStage,
  printingStage,
  tapeStage,
  mainStage,
  countedStage,
  unittestProgramStage,
  shellStage,
  statusStage,
]
