// An `index.ts` is the interface of a folder: it lists the names that other folders import, and no
// more. The entries of the package are for users instead; docs/public-api.md lists those.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const entries = ['src/host/index.ts', 'src/testing/index.ts']

interface SourceFile {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

const listPattern = /\b(import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'([^']+)'/g
/** Of a whole module: the text of the file shows which of its names are used. */
const wholePattern = /(?:import\(\s*'([^']+)'|dist\/([\w/-]+\/index)\.js)/g

/** Names that an `index.ts` exports and no other file imports, each as `file: name`. */
function unusedExports(files: readonly SourceFile[]): readonly string[] {
  const used = new Set(files.flatMap(usedNames))
  return files
    .filter(({ path }) => path.endsWith('/index.ts') && !entries.includes(path))
    .flatMap(({ path, text }) => exportedNames(text).map((name) => `${path}: ${name}`))
    .filter((exported) => !used.has(exported))
}

const exportedNames = (text: string): readonly string[] =>
  [...text.matchAll(listPattern)].flatMap(([, verb, names = '']) =>
    verb === 'export' ? namesIn(names).map((name) => name.split(/\s+as\s+/).at(-1) ?? '') : [],
  )

function usedNames({ path, text }: SourceFile): readonly string[] {
  const listed = [...text.matchAll(listPattern)].flatMap(([, , names = '', from = '']) =>
    namesIn(names).map((name) => `${targetOf(path, from)}: ${name.split(/\s+as\s+/)[0]}`),
  )
  const whole = [...text.matchAll(wholePattern)].flatMap(([, from, built]) => {
    const target = from === undefined ? `src/${built}.ts` : targetOf(path, from)
    return [...new Set(text.match(/\w+/g))].map((word) => `${target}: ${word}`)
  })
  return [...listed, ...whole]
}

const namesIn = (list: string): readonly string[] =>
  list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')

const targetOf = (path: string, from: string): string =>
  from.startsWith('#src/') ? from.slice(1) : posix.join(dirname(path), from)

function filesUnder(folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$|\.mjs$/.test(name) && !name.includes('node_modules'))
    .map((name) => posix.join(folder, name))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

test('every name of an index.ts is imported by another file', () => {
  const files = ['src', 'test', 'proof', 'bench', 'examples', 'scripts'].flatMap(filesUnder)
  expect(files.length).toBeGreaterThan(1000)
  expect(unusedExports(files)).toEqual([])
})

describe('a planted name is found', () => {
  const index = { path: 'src/a/index.ts', text: "export { one, type Two } from './one.ts'\n" }
  const using = (text: string): readonly string[] =>
    unusedExports([index, { path: 'src/b/b.ts', text }])

  test('if no file imports it', () => {
    expect(using("import { one } from '../a/index.ts'\n")).toEqual(['src/a/index.ts: Two'])
  })

  test('but not if one does, in any form', () => {
    expect(using("import { one, type Two as Other } from '../a/index.ts'\n")).toEqual([])
    expect(using("const { one } = await import('../a/index.ts') as { one: Two }\n")).toEqual([])
    expect(using("import { one, type Two } from '#src/a/index.ts'\n")).toEqual([])
    expect(using("import(new URL('dist/a/index.js')) // one Two\n")).toEqual([])
  })
})
