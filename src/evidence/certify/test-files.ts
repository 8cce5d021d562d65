/** Which paths are tests, and which lines of the work refer to them. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import type { Scope } from '../scope/index.ts'
import { isProductWithTests } from '../scope/inline-tests.ts'
import {
  indexNames,
  literalsIn,
  type NameIndex,
  normalizePath,
  referredBy,
} from '../scope/references.ts'
import { listFolders } from '../scope/root.ts'
import { compileGlob, globProblem } from '../seals/glob.ts'

export interface TestFiles {
  /** Test files, and folders with tests and without code of the product. */
  has(path: string): boolean
  readonly index: NameIndex
}

const bytesMax = 1024 * 1024

/** `isNamed`: whether a runner reported tests of this file, or a check runs it. Product files with tests inside do not count. */
export async function findTestFiles(
  reader: TreeReader,
  tree: TreeId,
  scope: Scope,
  isNamed: (path: string) => boolean,
): Promise<TestFiles> {
  const paths = [...(await reader.list(tree)).keys()]
  const tests: string[] = []
  const product: string[] = []
  for (const path of paths) {
    const isProduct =
      scope.isWork(path) && (!isNamed(path) || (await isProductFile(reader, tree, path)))
    if (isProduct) product.push(path)
    else if (isNamed(path)) tests.push(path)
  }
  const withProduct = listFolders(product)
  const folders = [...listFolders(tests)].filter((folder) => !withProduct.has(folder))
  const all = new Set([...tests, ...folders.map((folder) => folder.slice(0, -1))])
  return { has: (path) => all.has(path), index: indexNames(tests) }
}

async function isProductFile(reader: TreeReader, tree: TreeId, path: string): Promise<boolean> {
  const bytes = await reader.read(tree, path, bytesMax)
  return bytes !== undefined && isProductWithTests(path, new TextDecoder().decode(bytes))
}

/** The first line with each new reference to a test: `12 (../test/sum.test.js)`. */
export function findTestReferences(
  path: string,
  before: string,
  after: string,
  tests: TestFiles,
): readonly string[] {
  const known = new Set(referencesIn(path, before, tests))
  const lines = after.split('\n')
  return referencesIn(path, after, tests).flatMap((literal) => {
    if (known.has(literal)) return []
    const start = literal.replace(/^\.\//, '').slice(0, 200)
    const at = lines.findIndex((line) => line.includes(start))
    return [`${path}:${Math.max(0, at) + 1} (${literal})`]
  })
}

const rustModules = /\bmod[ \t]+\w{1,100}[ \t]*;/g
const rustConcats = /\bconcat!\s{0,20}\(([^\n]{1,500})/g
const globs = /\bimport\.meta\.glob\w{0,10}\s{0,20}\(\s{0,20}\[?([^\]\n]{1,500})/g
const embeds = /^\/\/go:embed[ \t]+([^\n]{1,300})/gm

function referencesIn(path: string, text: string, tests: TestFiles): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const plain = path.endsWith('.rs') ? text.replaceAll(rustModules, '') : text
  const literals = [...literalsIn(path, plain), ...joined(plain)]
  const isTest = (literal: string): boolean => {
    if (referredBy(path, literal, tests.index, tests.has).length > 0) return true
    const isPath = /^\.{1,2}\/|[^/]\/[^/]/.test(literal)
    const whole = normalizePath(literal.startsWith('.') ? `${folder}${literal}` : literal)
    return isPath && whole !== undefined && whole !== '' && tests.has(whole)
  }
  return [
    ...new Set([
      ...literals.filter(isTest),
      ...patternsIn(text).filter((glob) => matchesTest(folder, glob, tests)),
    ]),
  ]
}

/** The parts of a path that the compiler of Rust joins. */
const joined = (text: string): readonly string[] =>
  [...text.matchAll(rustConcats)].map(({ 1: parts = '' }) =>
    [...parts.matchAll(/"([^"\n]{1,200})"/g)]
      .map(({ 1: part = '' }) => part)
      .join('')
      .replace(/^[A-Z_]+(?=\/)/, ''),
  )

/** Patterns by which a build takes files into the product. */
const patternsIn = (text: string): readonly string[] => [
  ...[...text.matchAll(globs)].flatMap(({ 1: list = '' }) =>
    [...list.matchAll(/["'`]([^"'`\n]{1,300})["'`]/g)].map(({ 1: glob = '' }) => glob),
  ),
  ...[...text.matchAll(embeds)].flatMap(({ 1: line = '' }) =>
    line.split(/\s+/).map((word) => `./${word.replaceAll('"', '').replace(/^all:/, '')}`),
  ),
]

function matchesTest(folder: string, glob: string, { index }: TestFiles): boolean {
  if (glob.startsWith('!') || !glob.includes('*')) return false
  const whole = normalizePath(glob.startsWith('.') ? `${folder}${glob}` : glob.replace(/^\//, ''))
  if (whole === undefined || globProblem(whole) !== undefined) return false
  // Without a slash, a pattern would match in every folder.
  const pattern = compileGlob(whole.includes('/') ? whole : `./${whole}`)
  return index.all.some((path) => pattern.test(path))
}
