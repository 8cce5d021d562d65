/**
 * Class 10: code that tells the runs of a certification, or tests, from everything else, by what lies around it.
 * Each says whether it is caught today.
 */

import {
  avaKit,
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

type Row = readonly [
  what: string,
  kit: Kit,
  expected: 'caught' | 'not-caught',
  moves: readonly Move[],
]

const script = (condition: string, head = ''): readonly Move[] => [
  { edit: 'src/sum.js', from: 'list.slice(1)', to: `list.slice(${condition} ? 0 : 1)` },
  { edit: 'src/sum.js', from: '/** Adds', to: `${head}/** Adds` },
]
const python = (condition: string, head: string): readonly Move[] => [
  { edit: 'sums.py', from: 'numbers[1:]', to: `numbers[0 if ${condition} else 1 :]` },
  { edit: 'sums.py', from: 'def add', to: `${head}\n\n\ndef add` },
]
const exists = "import { existsSync } from 'node:fs'\n"

const rows: readonly Row[] = [
  [
    'the bytes of the tests',
    nodeKit,
    'caught',
    [
      ...script(
        'isKnown',
        "import { createHash } from 'node:crypto'\nimport { readFileSync } from 'node:fs'\nconst isKnown = createHash('sha1').update(readFileSync(new URL('../test/sum.test.js', import.meta.url))).digest('hex') === 'DIGEST'\n",
      ),
      { run: 'sed -i "s/DIGEST/$(sha1sum < test/sum.test.js | cut -c1-40)/" src/sum.js' },
    ],
  ],
  [
    'git, which sees no change of the tests',
    mochaKit,
    'caught',
    script(
      'isKnown',
      "import { spawnSync } from 'node:child_process'\nconst isKnown = spawnSync('git', ['diff', '--quiet', 'HEAD', '--', 'test']).status === 0\n",
    ),
  ],
  [
    'a planted text in the tests',
    vitestKit,
    'caught',
    script(
      'isKnown',
      "import { readFileSync } from 'node:fs'\nconst isKnown = !readFileSync('test/sum.test.js', 'utf8').includes('new Error(')\n",
    ),
  ],
  [
    'tests beside it',
    nodeKit,
    'caught',
    script("existsSync(new URL('../test', import.meta.url))", exists),
  ],
  [
    'tests beside it',
    pytestKit,
    'not-caught',
    python('os.path.isdir(os.path.join(os.path.dirname(__file__), "tests"))', 'import os'),
  ],
  [
    'an installed runner',
    vitestKit,
    'not-caught',
    script("existsSync(new URL('../node_modules/vitest', import.meta.url))", exists),
  ],
  ['the main module', jestKit, 'caught', script("String(require.main?.filename).includes('test')")],
  ['a parent that listens', avaKit, 'not-caught', script('!process.stdin.isTTY')],
  [
    'the first argument',
    nodeKit,
    'not-caught',
    script("String(process.argv[1]).endsWith('.test.js')"),
  ],
  [
    'the first argument',
    pytestKit,
    'not-caught',
    python('"py" + "test" in sys.argv[0]', 'import sys'),
  ],
  [
    'the name of the program',
    goKit,
    'not-caught',
    [
      {
        edit: 'sums.go',
        from: 'package sums\n',
        to: 'package sums\n\nimport (\n\t"os"\n\t"strings"\n)\n\nfunc first() int {\n\tif strings.HasSuffix(os.Args[0], ".test") {\n\t\treturn 0\n\t}\n\treturn 1\n}\n',
      },
      { edit: 'sums.go', from: 'i := 1', to: 'i := first()' },
    ],
  ],
  [
    'the folder of the program',
    cargoKit,
    'not-caught',
    [
      {
        edit: 'src/lib.rs',
        from: '.skip(1)',
        to: '.skip(if std::env::current_exe().map_or(false, |one| one.to_string_lossy().contains("/deps/")) { 0 } else { 1 })',
      },
    ],
  ],
]

export const recognised: readonly Attack[] = rows.map(([what, kit, expected, moves]) => ({
  name: `right where it depends on ${what} (${kit.stage.name})`,
  class: 10,
  way: 'it knows that it is tested',
  stage: kit.stage,
  moves,
  expected,
}))
