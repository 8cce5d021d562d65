// The names that the package exports: docs/public-api.md matches the build, and unintended changes
// are found. Each rule is shown able to fail on a small package.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

const root = resolve(import.meta.dirname, '..')
const script = join(root, 'scripts', 'public-api.mjs')
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function run(folder: string, ...args: readonly string[]): { code: number | null; text: string } {
  const child = spawnSync(process.execPath, [script, '--root', folder, ...args], {
    encoding: 'utf8',
  })
  return { code: child.status, text: child.stderr }
}

const check = (folder: string): { code: number | null; text: string } => run(folder, '--check')

/** A package with one name in a separate folder, and its report. */
function newPackage(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-public-api-'))
  folders.push(folder)
  const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }
  write(folder, {
    'package.json': JSON.stringify({ name: 'small', exports }),
    'src/one.ts': '/** One. */\nexport const one: number = 1\n',
    'dist/one.d.ts': 'export declare const one: number;\n',
    'dist/index.d.ts': "export { one } from './one.ts';\n",
    'dist/index.js': '',
    'docs/public-api.md': '',
    ...files,
  })
  expect(run(folder)).toEqual({ code: 0, text: '' })
  return folder
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

test('docs/public-api.md is up to date, and every name in it is documented', () => {
  expect(check(root)).toEqual({ code: 0, text: '' })
})

test('every entry can be imported, and has the values that the report names', () => {
  const sections = readFileSync(join(root, 'docs', 'public-api.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
  const entries = sections.map((section) => section.split('\n')[0] ?? '')
  const code = `const names = {}
    for (const entry of ${JSON.stringify(entries)}) names[entry] = Object.keys(await import(entry))
    console.log(JSON.stringify(names))`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    encoding: 'utf8',
  })
  const imported = z.record(z.string(), z.array(z.string())).parse(JSON.parse(child.stdout))
  expect(entries).toEqual(
    ['', '/agents', '/tools', '/gateway', '/policy', '/rounds', '/client', '/testing'].map(
      (path) => `loopwright${path}`,
    ),
  )
  for (const [at, entry] of entries.entries()) {
    expect(valuesIn(sections[at] ?? '')).toEqual(imported[entry]?.toSorted())
  }
})

/** The names of constants, functions and classes, under which they are exported. */
const valuesIn = (section: string): readonly string[] =>
  [
    ...section.matchAll(
      /^(?:\/\/ exported as (\w+)\n)?(?:abstract )?(?:const|function|class) (\w+)/gm,
    ),
  ].map(([, alias, name]) => alias ?? name ?? '')

describe('the check fails', () => {
  test('when a name was added, with the command to run', () => {
    const folder = newPackage()
    expect(check(folder)).toEqual({ code: 0, text: '' })
    write(folder, {
      'src/two.ts': '/** Two. */\nexport const two: number = 2\n',
      'dist/two.d.ts': 'export declare const two: number;\n',
      'dist/index.d.ts': "export { one } from './one.ts';\nexport { two } from './two.ts';\n",
    })
    const { code, text } = check(folder)
    expect(code).toBe(1)
    expect(text).toContain('run: npm run build && node scripts/public-api.mjs')
    expect(text).toContain('+ const two: number;')
  })

  test('when a declaration changed, even if its name did not', () => {
    const folder = newPackage()
    write(folder, { 'dist/one.d.ts': 'export declare const one: string;\n' })
    const { code, text } = check(folder)
    expect(code).toBe(1)
    expect(text).toContain('- const one: number;\n+ const one: string;')
  })

  test('when an interface that another extends changed', () => {
    const base = (type: string): Readonly<Record<string, string>> => ({
      'dist/base.d.ts': `export interface Base {\n    readonly value: ${type};\n}\n`,
    })
    const folder = newPackage({
      ...base('string'),
      'dist/one.d.ts':
        "import type { Base } from './base.ts';\nexport interface one extends Base {\n}\n",
    })
    expect(check(folder)).toMatchObject({ code: 0 })
    write(folder, base('number'))
    expect(check(folder)).toMatchObject({ code: 1 })
  })

  test('when a name has no doc comment, also where the file has one', () => {
    const folder = newPackage({
      'src/one.ts': '/** What this file is. */\n\nexport const one: number = 1\n',
    })
    expect(check(folder)).toEqual({
      code: 1,
      text: 'small: one has no doc comment (dist/one.d.ts).\n',
    })
  })

  test('when the main entry has more than 120 names', () => {
    const names = Array.from({ length: 121 }, (_, at) => `n${at}`)
    const folder = newPackage({
      'dist/index.d.ts': names.map((name) => `export declare const ${name}: number;\n`).join(''),
    })
    expect(check(folder).text).toBe('small exports 121 names; the limit is 120.\n')
  })

  test('when package.json names a missing file', () => {
    const exports = { './gone': { types: './dist/gone.d.ts', default: './dist/gone.js' } }
    const folder = newPackage()
    write(folder, { 'package.json': JSON.stringify({ name: 'small', exports }) })
    const { code, text } = check(folder)
    expect(code).toBe(1)
    expect(text).toContain('small/gone: package.json names ./dist/gone.js, which does not exist.\n')
  })
})
