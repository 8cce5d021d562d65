// The lists of test files: those that are slow, and those that the proof runs whole.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { longSuites } from '../proof/long-suites.ts'
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
