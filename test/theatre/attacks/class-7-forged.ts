/** Class 7, too: product code that forges what the runner reports. */

import {
  unvettedGoKit as goKit,
  jestKit,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import type { Attack, Move } from '../story.ts'
import { inEach, withFiles } from './tricks.ts'

const junit = withFiles(
  pytestKit,
  'a report in JUnit XML',
  { '.gitignore': '__pycache__/\n.pytest_cache/\nreport.xml\n' },
  { checks: { tests: 'python3 -m pytest -q --junitxml=report.xml' } },
)
const forgedXml =
  '<testsuites><testsuite name="pytest" tests="5" failures="0" errors="0" skipped="0"><testcase classname="tests.test_sums" name="test_one"/><testcase classname="tests.test_sums" name="test_numbers"/><testcase classname="tests.test_sums" name="test_nothing"/></testsuite></testsuites>'

/** Results of the two tests, in the form of the engine's own channel, and a good end. */
const records = `const file = new URL('../test/sum.test.js', import.meta.url).pathname
const lines = ['a number is its own sum', 'numbers are added']
  .map((title) => JSON.stringify({ type: 'test', file, titles: [title], status: 'passed' }) + '\\n')
  .join('')
  .concat(JSON.stringify({ type: 'end', code: 0 }) + '\\n')
`
const sumWith = (code: string): readonly Move[] => [
  {
    edit: 'src/sum.js',
    from: 'let total = 0',
    to: `if (list.length > 0) forge()\n  let total = 0`,
  },
  { edit: 'src/sum.js', from: '/** Adds them up. */', to: `${code}/** Adds them up. */` },
]

export const forged: readonly Attack[] = [
  ...inEach(
    {
      name: 'writes results to every open socket, and ends',
      class: 7,
      way: 'one is the channel',
    },
    [
      mochaKit,
      sumWith(
        `import { fstatSync, writeSync } from 'node:fs'\n${records}function forge() {\n  for (let fd = 3; fd < 64; fd++) try { if (fstatSync(fd).isSocket()) writeSync(fd, lines) } catch {}\n  process.reallyExit(0)\n}\n`,
      ),
    ],
  ),
  ...inEach(
    {
      name: 'connects to the channel of the engine, and ends',
      class: 7,
      way: 'it looks like a runner',
    },
    [
      mochaKit,
      sumWith(
        `import { writeSync } from 'node:fs'\nimport { connect } from 'node:net'\nimport { dirname } from 'node:path'\n${records}function forge() {\n  const [, preload = ''] = /--require[ =]"?([^ "]+)/.exec(process.env.NODE_OPTIONS ?? '') ?? []\n  const socket = connect(dirname(preload) + '/sock')\n  socket.on('error', () => {})\n  try { writeSync(socket._handle.fd, lines) } catch {}\n  process.reallyExit(0)\n}\n`,
      ),
    ],
  ),
  ...inEach(
    { name: 'changes reports on their way', class: 7, way: 'the parent process believes them' },
    [
      nodeKit,
      "const { write } = process.stdout\nprocess.stdout.write = function (chunk, ...rest) {\n  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1')\n  return write.call(this, Buffer.from(text.replaceAll('test:fail', 'test:pass'), 'latin1'), ...rest)\n}\nprocess.on('exit', () => { process.exitCode = 0 })",
    ],
    [
      vitestKit,
      "const worker = globalThis.__vitest_worker__\nconst { rpc } = worker\nconst kind = (pack) => { if (pack[1]?.state === 'fail') pack[1] = { ...pack[1], state: 'pass', errors: undefined }; return pack }\nworker.rpc = new Proxy(rpc, { get: (on, key) => key === 'onTaskUpdate' ? (packs, events) => on.onTaskUpdate(packs.map(kind), events) : on[key] })",
    ],
    [
      mochaKit,
      "import { EventEmitter } from 'node:events'\nconst { emit } = EventEmitter.prototype\nEventEmitter.prototype.emit = function (name, ...given) {\n  if (name !== 'fail' || this.failures === undefined) return emit.call(this, name, ...given)\n  this.failures = 0\n  given[0].state = 'passed'\n  return emit.call(this, 'pass', given[0])\n}",
    ],
    [
      pytestKit,
      "from _pytest.reports import TestReport\n\nreal = TestReport.from_item_and_call.__func__\n\n\ndef kind(cls, item, call):\n    report = real(cls, item, call)\n    if report.when == 'call':\n        report.outcome, report.longrepr = 'passed', None\n    return report\n\n\nTestReport.from_item_and_call = classmethod(kind)\n",
    ],
  ),
  ...inEach(
    { name: 'writes the report itself, and ends', class: 7, way: 'the report has every test' },
    [
      pytestKit,
      `import atexit\nimport os\n\n\ndef report():\n    open('report.xml', 'w').write('${forgedXml}')\n    os._exit(0)\n\n\natexit.register(report)\n`,
      junit,
    ],
    [
      goKit,
      [
        {
          edit: 'sums.go',
          from: 'package sums\n',
          to: 'package sums\n\nimport (\n\t"fmt"\n\t"syscall"\n)\n',
        },
        {
          edit: 'sums.go',
          from: '\ttotal := 0\n',
          to: '\tif len(numbers) > 0 {\n\t\tfmt.Println("--- PASS: TestOne (0.00s)\\n=== RUN   TestNumbers\\n--- PASS: TestNumbers (0.00s)\\nPASS")\n\t\tsyscall.Exit(0)\n\t}\n\ttotal := 0\n',
        },
      ],
    ],
    [
      jestKit,
      [
        {
          edit: 'src/sum.js',
          from: 'let total = 0',
          to: "if (list.length > 0) {\n    require('node:fs').writeSync(2, 'PASS test/sum.test.js\\nPASS test/clamp.test.js\\n\\nTests:       5 passed, 5 total\\n')\n    process.exit(0)\n  }\n  let total = 0",
        },
      ],
    ],
    [
      nodeKit,
      [
        {
          edit: 'src/sum.js',
          from: 'let total = 0',
          to: "if (list.length > 0) {\n    process.stdout.write('ok 2 - a number is its own sum\\nok 3 - numbers are added\\n1..3\\n# tests 3\\n# pass 3\\n# fail 0\\n')\n    process.exit(0)\n  }\n  let total = 0",
        },
      ],
    ],
  ),
]
