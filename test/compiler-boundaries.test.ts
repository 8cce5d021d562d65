// Shows that the compiler enforces the boundaries between folders: with the settings of this
// repository, it refuses an import against the import rules and refuses Node in a pure folder. Each
// refusal has a control beside it that compiles, so that it cannot be an accident of the fixture.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-walls-'))
  cpSync(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'))
  write('package.json', JSON.stringify({ type: 'module' }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('an import between folders', () => {
  beforeEach(() => {
    project('upper', { references: ['../lower'] })
    project('lower', { references: [] })
    write('src/lower/low.ts', 'export const low: number = 1\n')
    write(
      'src/upper/up.ts',
      "import { low } from '../lower/low.ts'\nexport const up: number = low\n",
    )
  })

  test('compiles along the arrows', () => {
    expect(build('src/upper')).toEqual({ code: 0, errors: [] })
  })

  test('against the arrows is refused', () => {
    write(
      'src/lower/wrong.ts',
      "import { up } from '../upper/up.ts'\nexport const wrong: number = up\n",
    )
    const { code, errors } = build('src/lower')
    expect(code).not.toBe(0)
    expect(errors).toContain('wrong.ts TS6307')
  })

  test('without a reference is refused, also downwards', () => {
    project('upper', { references: [] })
    const { code, errors } = build('src/upper')
    expect(code).not.toBe(0)
    expect(errors).toContain('up.ts TS6307')
  })
})

describe('src/loop', () => {
  beforeEach(() => {
    const isTest = /\.test\.ts$/
    cpSync(join(root, 'src/loop'), join(folder, 'src/loop'), {
      recursive: true,
      filter: (path) => !isTest.test(path),
    })
    write('src/loop/witness.ts', 'export const witness: number = 1\n')
  })

  test('compiles alone', () => {
    expect(build('src/loop')).toEqual({ code: 0, errors: [] })
  })

  test('is refused src/engine, which refers to it', () => {
    cpSync(join(root, 'src/engine/tsconfig.json'), join(folder, 'src/engine/tsconfig.json'))
    write('src/engine/ports.ts', "export type { witness } from '../loop/witness.ts'\n")
    expect(build('src/engine').errors).not.toContain('ports.ts TS6307')
    write('src/loop/witness.ts', "export type { witness } from '../engine/ports.ts'\n")
    expect(build('src/loop').errors).toContain('witness.ts TS6307')
  })

  test('is refused what only the types of Node have, which a folder with them may use', () => {
    const cases = [
      ['module', "export { readFileSync } from 'node:fs'\n", 'TS2591'],
      ['global', 'export const use: unknown = process.env\n', 'TS2591'],
      ['timer', 'export const use: unknown = setTimeout\n', 'TS2304'],
      ['network', 'export const use: unknown = fetch\n', 'TS2304'],
    ] as const
    project('control', { types: ['node'], references: [] })
    // One build for all of them, because the compiler takes a second to start.
    for (const [name, code] of cases) {
      write(`src/loop/${name}.ts`, code)
      write(`src/control/${name}.ts`, code)
    }
    const { errors } = build('src/loop')
    for (const [name, , error] of cases) expect(errors).toContain(`${name}.ts ${error}`)
    expect(build('src/control')).toEqual({ code: 0, errors: [] })
  })
})

function project(
  name: string,
  { types = [], references }: { types?: readonly string[]; references: readonly string[] },
): void {
  const settings = {
    extends: '../../tsconfig.base.json',
    compilerOptions: { types, rootDir: '.', outDir: `../../dist/${name}` },
    include: ['.'],
    references: references.map((path) => ({ path })),
  }
  write(`src/${name}/tsconfig.json`, JSON.stringify(settings))
}

function write(path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** The exit code, and each error as `file code`. */
function build(path: string): { code: number | null; errors: string[] } {
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-b', join(folder, path)], {
    encoding: 'utf8',
  })
  const lines = stdout.matchAll(/([\w.-]+)\(\d+,\d+\): error (TS\d+)/g)
  return { code: status, errors: [...lines].map((match) => `${match[1]} ${match[2]}`) }
}
