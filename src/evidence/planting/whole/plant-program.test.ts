import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { share } from '../../../../test/share.ts'
import { plantInProgram } from './plant-program.ts'
import type { ProgramPlant } from './program-plants.ts'

const marker = 'planted 4711'
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-programs-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const interpreters: Readonly<Record<string, readonly string[]>> = {
  mjs: ['node'],
  cjs: ['node'],
  py: ['python3'],
  sh: ['sh'],
}
let number = 0

/** Returns its exit code, with `product` next to it. */
function run(file: string, text: string, product: string): number | null {
  const ending = file.split('.').at(-1) ?? ''
  const [program = '', ...args] = interpreters[ending] ?? []
  number += 1
  const cwd = join(folder, String(number))
  for (const [name, content] of [
    [file, text],
    [`product.${ending}`, product],
  ] as const) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), content)
  }
  return spawnSync(program, [...args, file], { cwd, stdio: 'ignore' }).status
}

const products = {
  mjs: 'export const sum = (a, b) => a + b\n',
  py: 'def add(a, b):\n    return a + b\n',
  sh: 'add() { echo $(($1 + $2)); }\n',
}
const importing = "import assert from 'node:assert'\nimport { sum } from './product.mjs'\n"
const python = 'import os\nimport sys\nfrom product import add\n'

const shapes: readonly (readonly [
  what: string,
  file: string,
  text: string,
  kinds: readonly ProgramPlant[],
])[] = [
  ['asserts', 'a.mjs', `${importing}assert.equal(sum(1, 2), 3)\n`, ['after', 'value', 'start']],
  [
    'counts failures and exits',
    'a.mjs',
    `${importing}let failed = 0\nconst check = (got, want) => { if (got !== want) failed++ }\ncheck(sum(1, 2), 3)\ncheck(sum(0, 2), 2)\nconsole.log('done')\nprocess.exit(failed ? 1 : 0)\n`,
    ['after'],
  ],
  [
    'exits in both branches',
    'a.mjs',
    `${importing}if (sum(1, 2) === 3) {\n  process.exit(0)\n} else {\n  process.exit(1)\n}\n`,
    ['after'],
  ],
  [
    'waits for main',
    'a.mjs',
    `${importing}async function main() {\n  assert.equal(await sum(1, 2), 3)\n}\nmain().catch((error) => {\n  console.error(error)\n  process.exitCode = 1\n})\n`,
    ['after', 'value'],
  ],
  [
    'calls an inline function that exits',
    'a.mjs',
    `${importing};(async () => {\n  assert.equal(sum(1, 2), 3)\n  process.exit(0)\n})()\n`,
    ['after', 'value'],
  ],
  [
    'has tests and its own runner',
    'a.mjs',
    `${importing}const all = []\nconst test = (name, body) => all.push(body)\ntest('adds', () => {\n  assert.equal(sum(1, 2), 3)\n})\ntest('none', () => {\n  assert.equal(sum(0, 0), 0)\n})\nlet failed = 0\nfor (const one of all) try { one() } catch { failed++ }\nprocess.exit(failed)\n`,
    ['after', 'value'],
  ],
  ['asserts', 'a.py', `${python}assert add(1, 2) == 3\n`, ['after', 'value', 'start']],
  [
    'calls main',
    'a.py',
    `"""Checks."""\nfrom __future__ import annotations\n${python}\n\ndef main():\n    assert add(1, 2) == 3\n    return 0\n\n\nif __name__ == '__main__':\n    sys.exit(main())\n`,
    ['after', 'value', 'start'],
  ],
  [
    'exits with the number of failures',
    'a.py',
    `${python}failed = 0\nfor got, want in [(add(1, 2), 3), (add(0, 1), 1)]:\n    if got != want:\n        failed += 1\nsys.exit(failed)\n`,
    ['after'],
  ],
  [
    'ends with a guard',
    'a.py',
    `import unittest\n${python}\n\nclass Adds(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(add(1, 2), 3)\n\n\nif __name__ == '__main__':\n    unittest.main()\n`,
    ['after', 'value'],
  ],
  [
    'compares',
    'a.sh',
    '#!/bin/sh\nset -e\n. ./product.sh\n[ "$(add 1 2)" = 3 ]\n',
    ['after', 'start'],
  ],
  [
    'exits with its status',
    'a.sh',
    '. ./product.sh\nfailed=0\n[ "$(add 1 2)" = 3 ] || failed=1\nif [ $failed = 1 ]; then\n  echo no\n  exit 1\nelse\n  exit 0\nfi\n',
    ['after'],
  ],
]

/** The exit codes of the unchanged programs. */
const known = new Map<string, number | null>()

const productFor = (file: string): string =>
  products[(file.split('.').at(-1) ?? 'mjs') as keyof typeof products]

describe('a failure planted in a program', () => {
  test.each(
    shapes.flatMap(([what, file, text, kinds]) =>
      share(kinds, /^(asserts|compares)$/.test(what) ? kinds : kinds.slice(0, 1)).map(
        (kind) => [what, file, kind, text] as const,
      ),
    ),
  )('that %s (%s) makes it fail: %s', async (_what, file, kind, text) => {
    const passes = known.get(text) ?? run(file, text, productFor(file))
    known.set(text, passes)
    expect(passes).toBe(0)
    const planted = (await plantInProgram({ file, text, kind, marker })) ?? ''
    expect(planted).not.toBe(text)
    expect(run(file, planted, productFor(file))).toBeGreaterThan(0)
  })

  test.each([
    ['a.mjs', shapes[0]?.[2], 'export const sum = () => process.exit(0)\n'],
    [
      'a.mjs',
      shapes[0]?.[2],
      "export const sum = (a, b) => a + b\nprocess.on('exit', () => process.reallyExit(0))\n",
    ],
    ['a.mjs', shapes[3]?.[2], 'export const sum = () => new Promise(() => {})\n'],
    ['a.py', shapes[6]?.[2], 'import os\ndef add(a, b):\n    os._exit(0)\n'],
    [
      'a.py',
      shapes[7]?.[2],
      'import atexit, os\natexit.register(os._exit, 0)\ndef add(a, b):\n    return 3\n',
    ],
    ['a.sh', shapes[10]?.[2], "trap 'exit 0' EXIT\nadd() { echo 3; }\n"],
    ['a.sh', shapes[10]?.[2], 'test() { return 0; }\nadd() { echo 3; }\n'],
  ])('is not noticed if the product ends %s successfully', async (file, text = '', product) => {
    const planted = (await plantInProgram({ file, text, kind: 'after', marker })) ?? ''
    expect(planted).toContain(marker)
    expect(run(file, planted, product)).toBe(0)
  })

  test.each([0, 3, 5, 6, 7])('is not needed to restate expectations (%i)', async (at) => {
    const [, file = '', text = ''] = shapes[at] ?? []
    const restated = (await plantInProgram({ file, text, kind: 'restated', marker })) ?? ''
    expect(restated).not.toBe(text)
    expect(run(file, restated, productFor(file))).toBe(0)
    const isWrong = file.endsWith('py')
      ? 'def add(a, b):\n    return 4\n'
      : 'export const sum = () => 4\n'
    expect(run(file, restated, isWrong)).toBeGreaterThan(0)
  })

  test('is at the end of main in Go and Rust', async () => {
    const plant = (file: string, text: string): Promise<string | undefined> =>
      plantInProgram({ file, text, kind: 'after', marker })
    expect(await plant('main.go', 'package main\n\nfunc main() {\n\tcheck()\n}\n')).toBe(
      `package main\n\nfunc main() {\n\tcheck();\npanic("${marker}")\n\n}\n`,
    )
    expect(await plant('main.go', 'package main\n\nfunc main() {\n\tos.Exit(run())\n}\n')).toBe(
      `package main\n\nfunc main() {\n\tpanic("${marker}")\nos.Exit(run())\n}\n`,
    )
    expect(
      await plant('main.rs', 'fn main() -> Result<(), E> {\n    run()?;\n    Ok(())\n}\n'),
    ).toBe(`fn main() -> Result<(), E> {\n    run()?;\n    panic!("${marker}");\nOk(())\n}\n`)
    expect(await plant('lib.rs', 'pub fn a() {}\n')).toBeUndefined()
  })

  test('is not possible in an unknown language', async () => {
    for (const file of ['data.json', 'Makefile', 'a.txt'])
      expect(await plantInProgram({ file, text: 'x\n', kind: 'after', marker })).toBeUndefined()
    expect(
      await plantInProgram({ file: 'a.js', text: '}{', kind: 'after', marker }),
    ).toBeUndefined()
  })
})
