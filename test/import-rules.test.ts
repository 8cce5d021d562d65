// Compares every import of src/ with the architecture, and shows that each rule can fail.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  allowedImports,
  eagerImportsOf,
  fileCycles,
  folderCycles,
  forbiddenImports,
  type SourceFile,
  toImportGraph,
} from './import-rules.ts'

const root = resolve(import.meta.dirname, '..')
const filesInCycleMax = 5
const filesInFolderMax = 40
const filesInHostMax = 20

const sources: readonly SourceFile[] = filesBelow('src').map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}))
const graph = toImportGraph(sources)

/** The sources and one more file. */
const withPlanted = (path: string, text: string): ReturnType<typeof toImportGraph> =>
  toImportGraph([...sources.filter((one) => one.path !== path), { path, text }])

describe('imports of src', () => {
  test('every folder has a row in the table', () => {
    const known = new Set([...Object.keys(allowedImports), 'testing'])
    const folders = readdirSync(join(root, 'src'))
    expect(folders.filter((folder) => !known.has(folder))).toEqual([])
  })

  test('none is against the table, types included', () => {
    expect(forbiddenImports(graph)).toEqual([])
  })

  test.each([
    ["import { openJournal } from '../journal/index.ts'\n", 'src/client/planted.ts'],
    ["import type { Journal } from '../journal/index.ts'\n", 'src/client/planted.ts'],
    ["const lazy = await import('../daemon/index.ts')\n", 'src/host/planted.ts'],
    ["export { decide } from '../../engine/index.ts'\n", 'src/loop/excerpt/planted.ts'],
  ])('a planted %s in %s is found', (text, path) => {
    const [found, ...others] = forbiddenImports(withPlanted(path, text))
    expect(found).toContain(`${path} imports src/`)
    expect(others).toEqual([])
  })

  test('no folders import each other', () => {
    expect(folderCycles(graph)).toEqual([])
  })

  test('a planted cycle of folders is found', () => {
    const planted = withPlanted('src/engine/planted.ts', "import '../journal/index.ts'\n")
    expect(folderCycles(planted)).toEqual([['engine', 'journal']])
  })

  test(`no more than ${filesInCycleMax} files import each other`, () => {
    const large = fileCycles(graph).filter(({ length }) => length > filesInCycleMax)
    expect(large).toEqual([])
  })

  test('a planted cycle of files is found', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const planted = names.map((name, at) => ({
      path: `src/loop/${name}.ts`,
      text: `import type { T } from './${names[(at + 1) % names.length]}.ts'\n`,
    }))
    expect(fileCycles(toImportGraph(planted)).map(({ length }) => length)).toEqual([6])
  })
})

describe('folders of src', () => {
  test(`none has more than ${filesInFolderMax} files directly in it`, () => {
    expect(foldersWithMoreThan(filesInFolderMax)).toEqual([])
  })

  test(`host has at most ${filesInHostMax} files`, () => {
    const files = [...graph.keys()].filter((path) => path.startsWith('src/host/'))
    expect(files.length).toBeLessThanOrEqual(filesInHostMax)
  })
})

function foldersWithMoreThan(max: number): readonly string[] {
  const counts = new Map<string, number>()
  for (const path of graph.keys()) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > max).map(([folder]) => folder)
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesBelow(path)
    return /\.tsx?$/.test(path) ? [path] : []
  })
}

test('a command that needs no schema loads none: zod takes longer to load than all of the CLI', () => {
  const loaded = modulesLoadedWith('src/cli/program.ts')
  expect(loaded.filter((path) => path === 'zod')).toEqual([])
  for (const help of ['src/cli/commands/loop-types.ts', 'src/loops/loop-type-summaries.ts']) {
    expect(modulesLoadedWith(help)).not.toContain('zod')
  }
  for (const list of ['routes/run-operations.ts', 'in-process/open-in-process.ts']) {
    expect(modulesLoadedWith(`src/daemon/${list}`)).not.toContain('zod')
  }
  expect(modulesLoadedWith('src/protocol/index.ts')).toContain('zod')
})

test('loopctl loads the module of the command that is called, and no other', () => {
  const loaded = modulesLoadedWith('src/cli/main.ts')
  expect(loaded.filter((path) => path.startsWith('src/cli/commands/'))).toEqual([])
})

/** The modules that are loaded at once with a source file: paths of this repository, and packages by name. */
function modulesLoadedWith(start: string): readonly string[] {
  const files = new Map(sources.map((file) => [file.path, file]))
  const loaded = new Set([start])
  for (const path of loaded) {
    const file = files.get(path)
    for (const target of file === undefined ? [] : eagerImportsOf(file)) loaded.add(target)
  }
  return [...loaded]
}
