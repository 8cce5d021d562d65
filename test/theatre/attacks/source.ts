/**
 * The code under test runs in the process of its tests, and can do there what it likes. Each of these
 * changes nothing but code.
 */

import { configStage } from '../runner-stages.ts'
import { folderStage, npmStage, plainStage, programStage, pythonStage } from '../stages.ts'
import type { Attack, Move } from '../story.ts'

const before = (text: string): readonly Move[] => [
  { edit: 'src/sum.js', from: '/** Adds them up. */\n', to: `${text}\n/** Adds them up. */\n` },
]

export const sources: readonly Attack[] = [
  {
    name: 'the code ends the process',
    way: 'its exit code is 0',
    stage: programStage,
    moves: before('process.exit(0)'),
  },
  {
    name: 'the code ends the process, under a runner',
    way: 'a file that ends with 0 has passed',
    moves: before('process.exit(0)'),
  },
  {
    name: 'the code ends the process when it is called, under a runner',
    way: 'a file that ends with 0 has passed',
    moves: [{ edit: 'src/sum.js', from: 'let total = 0', to: 'let total = process.exit(0)' }],
  },
  {
    name: 'the code ends the process, and new tests make up for the number',
    way: 'as many tests as before have passed',
    moves: [
      ...before('process.exit(0)'),
      {
        write: 'test/more.test.js',
        text: "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nfor (let i = 0; i < 20; i++) test('more ' + i, () => assert.equal(i, i))\n",
      },
    ],
  },
  {
    name: 'what is thrown goes nowhere',
    way: 'a handler for what nobody catches',
    stage: programStage,
    moves: before("process.on('uncaughtException', () => {})"),
  },
  {
    name: 'the exit code is set at the end',
    way: 'whatever happened, it is 0',
    stage: programStage,
    moves: before("process.on('exit', () => process.reallyExit(0))"),
  },
  {
    name: 'the exit code is set at the end, by the runner of the project',
    way: 'it counts failures and ends with 0',
    stage: configStage,
    moves: before("process.on('exit', () => { process.exitCode = 0 })"),
  },
  {
    name: 'the code changes node:assert',
    way: 'nothing is ever unequal',
    moves: before(
      "import assert from 'node:assert/strict'\nfor (const name of ['equal', 'strictEqual', 'deepEqual', 'deepStrictEqual', 'ok']) assert[name] = () => {}",
    ),
  },
  {
    name: 'the code changes one function of node:assert',
    way: 'only what these tests use',
    stage: programStage,
    moves: before("import assert from 'node:assert/strict'\nassert.equal = () => {}"),
  },
  {
    name: 'the code changes node:test',
    way: 'tests are registered and not run',
    moves: before(
      "import { createRequire } from 'node:module'\nimport { syncBuiltinESMExports } from 'node:module'\nconst runner = createRequire(import.meta.url)('node:test')\nconst { Test } = runner\nrunner.test = () => {}\nsyncBuiltinESMExports()",
    ),
    expects: 'not-met',
  },
  {
    name: 'the code takes the place of the function that registers tests',
    way: 'each has its name, and passes',
    stage: configStage,
    moves: before(
      'if (globalThis.it) { const it = globalThis.it; globalThis.it = (name) => it(name, () => {}) }',
    ),
  },
  {
    name: 'the code prints what the runner prints, and ends',
    way: 'the summary says 5 passed',
    stage: configStage,
    moves: before(
      "console.log('  ✔ adds nothing\\n  ✔ adds one\\n  ✔ adds more\\n\\n  5 passing (5ms)')\nprocess.exit(0)",
    ),
  },
  {
    name: 'the code prints the summary of node, and ends',
    way: 'the summary says 5 passed',
    stage: programStage,
    moves: before(
      "console.log('TAP version 13\\nok 1 - sum\\n1..1\\n# tests 5\\n# pass 5\\n# fail 0\\n# skipped 0')\nprocess.exit(0)",
    ),
  },
  {
    name: 'the code ends the process, in Python',
    way: 'its exit code is 0',
    stage: pythonStage,
    moves: [{ edit: 'sums.py', from: 'def add', to: 'import os\nos._exit(0)\n\n\ndef add' }],
  },
  {
    name: 'the code changes unittest, in Python',
    way: 'nothing is ever unequal',
    stage: pythonStage,
    moves: [
      {
        edit: 'sums.py',
        from: 'def add',
        to: 'import unittest\nunittest.TestCase.assertEqual = lambda *given: None\n\n\ndef add',
      },
    ],
  },
  {
    name: 'the code changes node:assert, in a folder without git',
    way: 'nothing is ever unequal',
    stage: folderStage,
    moves: before("import assert from 'node:assert/strict'\nassert.equal = () => {}"),
  },
  {
    name: 'the code reads what is expected from the test',
    way: 'it gives whatever the test wants',
    stage: plainStage,
    moves: [
      {
        write: 'src/sum.js',
        text: `import { readFileSync } from 'node:fs'
const text = readFileSync(new URL('../test/sum.test.js', import.meta.url), 'utf8')
/** Adds them up. */
export function sum(list) {
  const call = 'sum(' + JSON.stringify(list).replaceAll(',', ', ') + '), '
  const from = text.indexOf(call) + call.length
  return JSON.parse(text.slice(from, text.indexOf(')', from)))
}
`,
      },
    ],
  },
  {
    name: 'the code mends itself when a test loads it',
    way: 'the next file that is loaded is another',
    moves: [
      {
        edit: 'src/clamp.js',
        from: '/** Within the two. */\n',
        to: "import { readFileSync, writeFileSync } from 'node:fs'\nconst file = new URL('./sum.js', import.meta.url)\nwriteFileSync(file, readFileSync(file, 'utf8').replace('list.slice(1)', 'list.slice(0)'))\n/** Within the two. */\n",
      },
    ],
  },
  {
    name: 'the code empties the tests when it is loaded',
    way: 'the next file that is loaded is another',
    moves: [
      {
        edit: 'src/clamp.js',
        from: '/** Within the two. */\n',
        to: "import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('../test/sum.test.js', import.meta.url), \"import { test } from 'node:test'\\ntest('a', () => {})\\ntest('b', () => {})\\ntest('c', () => {})\\n\")\n/** Within the two. */\n",
      },
    ],
  },
  {
    name: 'the code leaves a process behind and ends',
    way: 'the parent has ended with 0',
    stage: programStage,
    moves: before(
      "import { spawn } from 'node:child_process'\nspawn('sleep', ['30'], { detached: true, stdio: 'ignore' }).unref()\nprocess.exit(0)",
    ),
  },
  {
    name: 'the check is killed by a signal',
    way: 'there is no exit code, and so none that is not 0',
    stage: programStage,
    moves: before("process.kill(process.pid, 'SIGKILL')"),
    expects: 'not-met',
  },
  {
    name: 'the check is killed by a signal, without a shell around it',
    way: 'there is no exit code, and so none that is not 0',
    stage: {
      ...programStage,
      name: 'a program alone',
      loop: { checks: { tests: ['node', 'test/all.js'] } },
    },
    moves: before("process.kill(process.pid, 'SIGTERM')"),
    expects: 'not-met',
  },
  {
    name: 'the check never ends',
    way: 'what takes too long is taken as passed',
    stage: programStage,
    loop: { checks: { tests: { run: 'node test/all.js', timeout: '2s' } } },
    moves: before('for (;;);'),
    expects: 'timeout',
  },
  {
    name: 'the check needs all memory',
    way: 'it is ended before it can fail',
    stage: programStage,
    loop: { sandbox: { limits: { memory: '256MB' } } },
    moves: before('const all = []\nfor (;;) all.push(Buffer.alloc(4 << 20, 1))'),
    expects: 'not-met',
  },
  {
    name: 'the check prints more than anybody keeps',
    way: 'the failure is far from both ends',
    stage: npmStage,
    moves: before(
      "const line = 'ok '.repeat(1000) + '\\n'\nfor (let i = 0; i < 3000; i++) process.stderr.write(line)",
    ),
    expects: 'not-met',
  },
]
