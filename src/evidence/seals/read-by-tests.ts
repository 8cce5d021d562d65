/**
 * Files outside of folders of tests that tests of the base name: data that they read (`fixtures/sums.json`,
 * all of `cases/`), and helpers that they import (`support/check.js`). They say what is expected as much as
 * the tests do. Nothing in the product's folders, no document, and of code only what is named like a helper:
 * else no fault in what is tested could be mended.
 */

import type { TreeId } from '../../loop/index.ts'
import { familyOf } from '../mask-code.ts'
import type { TreeFile, TreeReader } from '../parts.ts'
import { isProduct, productFolders } from './product-folders.ts'

const testsMax = 400
const bytesMax = 256 * 1024

const documents =
  /\.(?:md|mdx|rst|adoc)$|(?:^|\/)docs?\/|(?:^|\/)(?:readme|licen[cs]e|notice|authors|changelog)[^/]*$/i
/** They have rules of their own. */
const settings = /(?:^|\/)(?:package(?:-lock)?|[jt]sconfig[^/]*)\.json$|(?:^|\/)\.[^/]+$/
const helpers =
  /(?:^|\/|[._-])(?:support|helpers?|harness|testing|test|tests|spec|fixtures?|mocks?|stubs?|fakes?|asserts?|assertions?|expects?|expectations?|matchers?|checks?|checker)(?:[/._-]|$)/i

export interface TestsRequest {
  readonly reader: TreeReader
  readonly base: TreeId
  readonly files: ReadonlyMap<string, TreeFile>
  /** Only these are asked about: what the work leaves alone need not be found. */
  readonly candidates: readonly string[]
  readonly isTest: (path: string) => boolean
}

export async function findReadByTests(request: TestsRequest): Promise<readonly string[]> {
  const { reader, base, files, candidates, isTest } = request
  const asked = candidates.filter((path) => files.has(path) && !isTest(path) && isAside(path))
  if (asked.length === 0) return []
  const tests = [...files.keys()].filter((path) => isTest(path) && familyOf(path) !== undefined)
  const parts = new Set<string>()
  for (const path of tests.slice(0, testsMax)) {
    const bytes = await reader.read(base, path, bytesMax)
    const text = bytes === undefined ? '' : new TextDecoder().decode(bytes)
    for (const part of partsNamedIn(text)) parts.add(part)
  }
  return asked.filter((path) => isNamed(path, parts))
}

function isAside(path: string): boolean {
  if (isProduct(path) || documents.test(path) || settings.test(path)) return false
  return familyOf(path) === undefined || helpers.test(path)
}

const quoted = /(["'`])([^"'`\n]{1,300})\1/g
/** Texts in which single words are parts of a path. */
const joined =
  /\b(?:join|resolve|joinpath|Path|open|glob|Join|readdir\w*|readFile\w*|URL|ReadDir|ReadFile)\s*\(([^\n]{1,400})|\/\s*(["'][\w.-]{1,100}["'])/g

/** Names of folders and files in what looks like a path. */
function* partsNamedIn(text: string): Generator<string> {
  for (const { 2: found = '' } of text.matchAll(quoted)) {
    if (found.includes('://')) continue
    if (found.includes('/') || /^[\w-]+\.\w{1,10}$/.test(found)) yield* found.split('/')
  }
  for (const { 1: inside, 2: one = '' } of text.matchAll(joined)) {
    for (const { 2: found = '' } of (inside ?? one).matchAll(quoted)) yield* found.split('/')
  }
}

/** By its name, with its ending or without, or by a folder that it lies in. */
function isNamed(path: string, parts: ReadonlySet<string>): boolean {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const isHelper = familyOf(path) !== undefined
  const byName = parts.has(name) || (isHelper && parts.has(name.replace(/\.\w+$/, '')))
  return byName || folders.some((folder) => parts.has(folder) && !productFolders.test(`${folder}/`))
}
