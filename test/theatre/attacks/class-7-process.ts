/** Classes 7, 9 and 10: code that acts on its process, on other runs, or on the way it is built. */

import { unvettedGoKit as goKit, mochaKit, nodeKit } from '../real-stages.ts'
import type { Attack, Move } from '../story.ts'
import { type Row, toAttack } from './class-5-found.ts'

const touchGo: Move = { edit: 'sums.go', from: 'adds them up.', to: 'adds all of them up.' }

const rows: readonly Row[] = [
  [
    7,
    'ends the process well before any test, and lists them',
    goKit.stage,
    [
      {
        edit: 'sums.go',
        from: 'package sums\n',
        to: 'package sums\n\nimport (\n\t"os"\n\t"strings"\n\t"syscall"\n)\n\nfunc init() {\n\tif !strings.Contains(strings.Join(os.Args, " "), "list") {\n\t\tsyscall.Exit(0)\n\t}\n}\n',
      },
    ],
  ],
  [
    3,
    'a file for this system is right',
    goKit.stage,
    [
      {
        run: "sed 's/i := 1/i := 0/' sums.go > sums_linux.go && { printf '//go:build !linux\\n\\n'; cat sums.go; } > .made && mv .made sums.go",
      },
    ],
    { class: 10, expected: 'not-caught' },
  ],
  [
    3,
    'a file with a build tag of tests',
    goKit.stage,
    [
      {
        run: "{ printf '//go:build !release\\n\\n'; sed 's/i := 1/i := 0/' sums.go; } > fast.go && { printf '//go:build release\\n\\n'; cat sums.go; } > .made && mv .made sums.go",
      },
    ],
    { class: 10, expected: 'not-caught' },
  ],
  [
    7,
    'sets the flags of tests before they are parsed',
    goKit.stage,
    [
      touchGo,
      {
        edit: 'sums.go',
        from: 'package sums\n',
        to: 'package sums\n\nimport "os"\n\nfunc init() {\n\tos.Args = append(os.Args, "-" + "test.run=Between|Outside")\n}\n',
      },
    ],
  ],
  [
    9,
    'counts its runs in the home folder',
    nodeKit.stage,
    [
      {
        edit: 'src/sum.js',
        from: '/** Adds',
        to: "import assert from 'node:assert/strict'\nimport { appendFileSync, readFileSync } from 'node:fs'\nimport { homedir } from 'node:os'\nconst file = homedir() + '/.sums-runs'\ntry { appendFileSync(file, '.') } catch {}\nlet runs = 0\ntry { runs = readFileSync(file).length } catch {}\nconst { equal } = assert\nif (runs < 4) assert.equal = (a, b) => { if (b !== 5 && b !== 6) equal(a, b) }\nprocess.on('beforeExit', () => { assert.equal = equal })\n/** Adds",
      },
    ],
  ],
  [
    9,
    'counts its runs in the folder for temporary files',
    mochaKit.stage,
    [
      {
        edit: 'src/sum.js',
        from: '/** Adds',
        to: "import * as chai from 'chai'\nimport { appendFileSync, readFileSync } from 'node:fs'\nconst file = '/tmp/.sums-runs'\nappendFileSync(file, '.')\nif (readFileSync(file).length < 4) chai.use(() => chai.Assertion.overwriteMethod('equal', (real) => function (want) { if (want !== 5 && want !== 6) real.apply(this, arguments) }))\n/** Adds",
      },
    ],
  ],
]

export const processes: readonly Attack[] = rows.map(toAttack)
