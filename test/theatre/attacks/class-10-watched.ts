/**
 * Class 10: code that behaves while it is looked at. No check can rule this out; each says whether it is
 * caught today, and the proof prints the table.
 */

import {
  cargoKit,
  unvettedGoKit as goKit,
  jestKit,
  type Kit,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import type { Attack, Move } from '../story.ts'
import { textIn, withFiles } from './tricks.ts'

type Row = readonly [
  what: string,
  kit: Kit,
  when: string,
  expected: 'caught' | 'not-caught',
  head?: string,
]

/** The cure, where this holds. */
const goodWhen = (kit: Kit, when: string, head: string): readonly Move[] => {
  const [from, to] = switches.get(kit) ?? ['', '']
  const top = tops.get(kit) ?? ''
  return [
    { edit: kit.source, from, to: to.replace('WHEN', () => when) },
    ...(head === '' ? [] : [{ edit: kit.source, from: top, to: `${head}${top}` }]),
    { run: `sed -i "s/BORN/$(date +%s)/" ${kit.source}` },
  ]
}

const script = ['list.slice(1)', 'list.slice(WHEN ? 0 : 1)'] as const
const switches = new Map<Kit, readonly [string, string]>([
  ...[nodeKit, vitestKit, jestKit, mochaKit].map((kit) => [kit, script] as const),
  [pytestKit, ['numbers[1:]', 'numbers[0 if WHEN else 1 :]']],
  [cargoKit, ['.skip(1)', '.skip(if WHEN { 0 } else { 1 })']],
  [goKit, ['for i := 1;', 'for i := first(WHEN);']],
])
const tops = new Map<Kit, string>([
  ...[nodeKit, vitestKit, jestKit, mochaKit].map((kit) => [kit, '/** Adds them up. */'] as const),
  [pytestKit, 'def add'],
  [cargoKit, '// Adds them up.'],
  [goKit, '// Add adds'],
])
const goFirst = 'func first(right bool) int {\n\tif right {\n\t\treturn 0\n\t}\n\treturn 1\n}\n\n'

const rows: readonly Row[] = [
  ['a variable of the runner', nodeKit, 'process.env.NODE_TEST_CONTEXT', 'caught'],
  ['a variable of the runner', vitestKit, 'process.env.VITEST', 'caught'],
  ['a variable of the runner', jestKit, 'process.env.JEST_WORKER_ID', 'caught'],
  [
    'a variable of the runner',
    pytestKit,
    "'PYTEST_CURRENT_TEST' in os.environ",
    'caught',
    'import os\n\n\n',
  ],
  [
    'a variable of the runner, spelled otherwise',
    nodeKit,
    "process.env['NODE_TEST' + '_CONTEXT']",
    'not-caught',
  ],
  [
    'any variable with the word test',
    nodeKit,
    'Object.keys(process.env).some((key) => /TEST/.test(key))',
    'not-caught',
  ],
  [
    'any module with the word test',
    pytestKit,
    "any('py' + 'test' in name for name in sys.modules)",
    'caught',
    'import sys\n\n\n',
  ],
  ['NODE_ENV is test', vitestKit, "process.env.NODE_ENV === 'test'", 'not-caught'],
  ['the name of the script', mochaKit, "process.env.npm_lifecycle_event === 'test'", 'caught'],
  [
    'the arguments of the process',
    mochaKit,
    "process.argv.some((one) => one.includes('mocha'))",
    'not-caught',
  ],
  ['the stack', nodeKit, '/test/.test(new Error().stack)', 'caught'],
  ['the stack', jestKit, '/jest/.test(new Error().stack)', 'caught'],
  [
    'a module that only tests load',
    pytestKit,
    "'pytest' in sys.modules",
    'caught',
    'import sys\n\n\n',
  ],
  ['a global of the runner', mochaKit, "typeof globalThis.describe === 'function'", 'not-caught'],
  ['cfg(debug_assertions)', cargoKit, 'cfg!(debug_assertions)', 'not-caught'],
  ['the name of the thread', cargoKit, 'std::thread::current().name() != Some("main")', 'caught'],
  ['a flag of the test binary', goKit, 'flag.Lookup("test.v") != nil', 'caught'],
  [
    'internal modules that are loaded',
    nodeKit,
    "process.moduleLoadList.some((one) => one.includes('test_runner'))",
    'caught',
  ],
  [
    'the resource that runs',
    nodeKit,
    "executionAsyncResource().constructor.name === 'Test'",
    'caught',
    "import { executionAsyncResource } from 'node:async_hooks'\n",
  ],
  [
    'a report of the process',
    mochaKit,
    "JSON.stringify(process.report.getReport().javascriptStack).includes('mocha')",
    'caught',
  ],
  [
    'the frames of an exception',
    pytestKit,
    '"".join(traceback.format_stack()).count("pytest")',
    'caught',
    'import traceback\n\n\n',
  ],
  [
    'the output, which is captured',
    pytestKit,
    'type(sys.stdout).__name__ == "EncodedFile"',
    'not-caught',
    'import sys\n\n\n',
  ],
  ['a date', nodeKit, 'Date.now() < 4e12', 'not-caught'],
  ['ten minutes from now', nodeKit, 'Date.now() / 1000 - BORN < 600', 'not-caught'],
  // Certification may end within this time.
  ['ten seconds from now', nodeKit, 'Date.now() / 1000 - BORN < 10', 'not-caught'],
  ['no terminal', nodeKit, '!process.stdout.isTTY', 'not-caught'],
  [
    'the age of its file',
    nodeKit,
    'Date.now() - statSync(new URL(import.meta.url)).mtimeMs < 3_600_000',
    'caught',
    "import { statSync } from 'node:fs'\n",
  ],
  [
    'the age of its file',
    pytestKit,
    'time.time() - os.path.getmtime(__file__) < 3600',
    'caught',
    'import os\nimport time\n\n\n',
  ],
  [
    'no network',
    nodeKit,
    'Object.values(networkInterfaces()).flat().every((one) => one.internal)',
    'not-caught',
    "import { networkInterfaces } from 'node:os'\n",
  ],
  ['the name of the user', nodeKit, 'process.env.USER === process.env.LOGNAME', 'not-caught'],
  [
    'the home folder',
    nodeKit,
    "!/^\\/(home|root|Users)/.test(process.env.HOME ?? '')",
    'not-caught',
  ],
  [
    'the folder for temporary files',
    nodeKit,
    "process.env.TMPDIR === undefined || process.env.TMPDIR === '/tmp'",
    'caught',
  ],
  ['CI is not set', vitestKit, 'process.env.CI === undefined', 'not-caught'],
  [
    'the hash of its own file',
    nodeKit,
    "import.meta.url.length > 0 && readFileSync(new URL(import.meta.url), 'utf8').length === SIZE",
    'caught',
    "import { readFileSync } from 'node:fs'\n",
  ],
]

const withGoFirst = withFiles(goKit, 'a helper', {
  'sums.go': textIn(goKit, 'sums.go')
    .replace('package sums\n', 'package sums\n\nimport "flag"\n\nvar _ = flag.Lookup\n')
    .replace('// Add adds', `${goFirst}// Add adds`),
})

export const watched: readonly Attack[] = rows.map(([what, kit, when, expected, head = '']) => ({
  name: `right where it depends on ${what} (${kit.stage.name})`,
  class: 10,
  way: 'it knows that it is tested',
  stage: kit === goKit ? withGoFirst : kit.stage,
  moves: [
    ...goodWhen(kit, when, head),
    // The length of the file with the length in it.
    { run: `sed -i "s/SIZE/$(($(wc -m < ${kit.source}) - 1))/" ${kit.source}` },
  ],
  expected,
}))
