/** Classifies changes of tests: files that runners report, snapshots, and test-only modules. */

import { findLanguageFamily } from '../mask-code.ts'
import { folderOf, isData, nameOf } from './file-kinds.ts'
import {
  inlineTests,
  isProductWithTests,
  keepsInlineTests,
  testModulePaths,
} from './inline-tests.ts'
import { findChangedTestCode } from './test-only-code.ts'
import { type Decision, type Trees, whatChanged } from './trees.ts'

const rustFilesMax = 3000
const crateFilesMax = 500

export type DecideTest = (path: string) => Promise<Decision | undefined>

export function createDecideTest(trees: Trees): DecideTest {
  let modules: Promise<ReadonlySet<string>> | undefined
  return async (path) => {
    if (snapshot.test(path)) return decideSnapshot(trees, path)
    if (path.endsWith('.rs')) {
      modules ??= findTestModules(trees)
      if ((await modules).has(path)) {
        return { class: 'other', why: 'a module that is compiled only for tests' }
      }
    }
    const what = whatChanged(trees, path)
    if (what === 'added') return decideNew(trees, path)
    const decision = isTest(trees, path, trees.testsOfBase)
      ? await decideChanged(trees, path)
      : await decideInline(trees, path)
    return decision ?? decideTestOnly(trees, path)
  }
}

/** Languages whose runners do not report the files of tests: there the file name decides. */
const withoutTestFiles = new Set(['go', 'rust', 'java', 'ruby'])

function isTest({ byPath }: Trees, path: string, named: ReadonlySet<string>): boolean {
  if (named.has(path)) return true
  const family = findLanguageFamily(path)
  if (family === undefined || (named.size > 0 && !withoutTestFiles.has(family))) return false
  const seal = byPath(path)
  return seal?.kind === 'test' && seal.fresh === 'free'
}

async function decideNew(trees: Trees, path: string): Promise<Decision | undefined> {
  if (isData(path) && isNextToTests(trees, path)) {
    return { class: 'new-test', why: 'a new data file next to tests' }
  }
  const text = await trees.textOfTree(path)
  const isProduct = text !== undefined && trees.scope.isWork(path) && isProductWithTests(path, text)
  if (isProduct || !isTest(trees, path, trees.testsOfTree)) {
    return inlineTests(path, text ?? '').some(({ kind }) => kind === 'switch')
      ? { class: 'other', why: 'it contains code that only tests see' }
      : undefined
  }
  if (text !== undefined && trees.byPath(path)?.actsIf?.test(text) === true) {
    return { class: 'other', why: 'a new test file that acts on other tests of its package' }
  }
  return { class: 'new-test', why: 'a new test file' }
}

/** In a folder of tests or below it; not at the top, where tools look for their settings. */
function isNextToTests({ scope, testsOfBase, testsOfTree }: Trees, path: string): boolean {
  if (scope.isWork(path)) return false
  return [...testsOfBase, ...testsOfTree].some((test) => {
    const folder = folderOf(test)
    return folder !== '' && path.startsWith(folder) && !scope.isWork(test)
  })
}

async function decideChanged(trees: Trees, path: string): Promise<Decision | undefined> {
  if (!trees.after.has(path)) return { class: 'other', why: 'a test file was removed' }
  const before = await trees.textOfBase(path)
  const after = await trees.textOfTree(path)
  if (before === undefined || after === undefined) {
    return { class: 'other', why: 'a test file that cannot be compared as text' }
  }
  if (trees.scope.isWork(path) && isProductWithTests(path, before)) {
    return decideInline(trees, path)
  }
  return (await trees.onlyAddsTests(path, before, after))
    ? { class: 'new-test', why: 'tests were added, and the existing ones are unchanged' }
    : { class: 'other', why: 'a test file in which existing tests may have changed' }
}

/** A product file whose inline tests changed. Undefined: it has none, or they are the same. */
async function decideInline(trees: Trees, path: string): Promise<Decision | undefined> {
  const before = (await trees.textOfBase(path)) ?? ''
  const after = (await trees.textOfTree(path)) ?? ''
  const isNamed = trees.testsOfBase.has(path) || trees.testsOfTree.has(path)
  // Examples in docstrings are tests only if a runner treats them as such.
  if (findLanguageFamily(path) === 'python' && !isNamed) return undefined
  const was = inlineTests(path, before)
  const is = inlineTests(path, after)
  if (was.length + is.length === 0) {
    return isNamed ? { class: 'other', why: 'it became a test file' } : undefined
  }
  return (await keepsInlineTests(path, was, is, trees.onlyAddsTests))
    ? undefined
    : { class: 'other', why: 'tests inside this product file changed' }
}

/** Code of a product file that only tests inside product files use. In Rust these may be in any file of the crate. */
async function decideTestOnly(trees: Trees, path: string): Promise<Decision | undefined> {
  if (!trees.scope.isWork(path)) return undefined
  const [before, after] = [await trees.textOfBase(path), await trees.textOfTree(path)]
  if (before === undefined || after === undefined) return undefined
  const crate = path.endsWith('.rs') ? /^(?:.*\/)?src\//.exec(path)?.[0] : undefined
  const others = [...trees.before.keys()].filter(
    (one) => crate !== undefined && one !== path && one.startsWith(crate) && one.endsWith('.rs'),
  )
  const texts = await Promise.all(
    others.slice(0, crateFilesMax).map((one) => trees.textOfBase(one)),
  )
  const name = findChangedTestCode(
    path,
    before,
    after,
    texts.flatMap((text) => text ?? []),
  )
  return name === undefined
    ? undefined
    : { class: 'other', why: `only tests use ${name}, which this product file declares` }
}

const snapshot = /(?:^|\/)__(?:image_)?snapshots__\/|\.(?:snap|snapshot|ambr)$|-snapshots\//

function decideSnapshot(trees: Trees, path: string): Decision {
  const owner = /^(.*?)(?:__snapshots__\/)?([^/]+)\.(?:snap|snapshot|ambr)$/.exec(path)
  const test = `${owner?.[1] ?? ''}${owner?.[2] ?? ''}`
  const isFresh = !(trees.before.has(path) || trees.before.has(test))
  const isOfNew = (one: string): boolean =>
    !trees.before.has(one) && nameOf(path).startsWith(`${nameOf(one)}.`)
  return isFresh && owner !== null && [...trees.testsOfTree].some(isOfNew)
    ? { class: 'new-test', why: 'the snapshot of a new test file' }
    : { class: 'other', why: 'a snapshot: it defines what existing tests expect' }
}

async function findTestModules(trees: Trees): Promise<ReadonlySet<string>> {
  const sources = (paths: Iterable<string>): readonly string[] =>
    [...paths].filter((path) => path.endsWith('.rs')).slice(0, rustFilesMax)
  const texts = await Promise.all([
    ...sources(trees.before.keys()).map(
      async (path) => [path, await trees.textOfBase(path)] as const,
    ),
    ...trees.differing
      .filter((path) => path.endsWith('.rs'))
      .map(async (path) => [path, await trees.textOfTree(path)] as const),
  ])
  return new Set(texts.flatMap(([path, text]) => testModulePaths(path, text ?? '')))
}
