// The lists of test files: those that are slow, and those that the proof runs whole.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { longSuites, suitesOfSeed } from '../proof/long-suites.ts'
import { slowFiles } from './slow-files.ts'

const root = resolve(import.meta.dirname, '..')
const suites = longSuites.map(({ file }) => file)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('every file that is listed as slow or as a long suite exists', () => {
  expect([...slowFiles, ...suites].filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('every file that leaves cases to the proof is run by it', () => {
  const others = ['proof/test-files.ts', 'proof/installs.ts', 'proof/theatre.ts'].map(read).join()
  const files = ['test', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => join(folder, path)),
  )
  const leaving = files.filter((path) => /from '[./]+share\.ts'/.test(read(path)))
  expect(leaving.length).toBeGreaterThan(10)
  expect(leaving.filter((path) => !suites.includes(path) && !others.includes(path))).toEqual([])
})

test('each commit runs one long suite more, and all quick ones have their turn', () => {
  const chosen = Array.from({ length: 200 }, (_, seed) => suitesOfSeed(seed))
  expect(suitesOfSeed(87_203_423)).toEqual(suitesOfSeed(87_203_423))
  expect(chosen.every((files) => files.length === 1)).toBe(true)
  const quick = longSuites.filter(({ isShared, isSlow }) => isShared !== true && isSlow !== true)
  const shared = longSuites.filter(({ isShared }) => isShared === true).map(({ file }) => file)
  const all = quick.map(({ file }) => file).filter((file) => !shared.includes(file))
  expect([...new Set(chosen.flat())].toSorted()).toEqual([...new Set(all)].toSorted())
})

test('programs of the tests import names that the build has', async () => {
  const programs = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.mjs'))
    .map((path) => join('test', path))
  const imports = programs.flatMap((path) =>
    [...read(path).matchAll(/import \{([^}]+)\} from '([^']*\/dist\/[^']+)'/g)].map(
      ([, names = '', from = '']) => ({ path, names, from }),
    ),
  )
  expect(imports.length).toBeGreaterThan(2)
  for (const { path, names, from } of imports) {
    const built = Object.keys((await import(join(root, path, '..', from))) as object)
    const wanted = names.split(',').map((name) => name.trim().split(' as ')[0] ?? '')
    expect({ path, missing: wanted.filter((name) => !built.includes(name)) }).toEqual({
      path,
      missing: [],
    })
  }
})
