/** Decides whether changes that are neither tests nor manifests are work. */

import { findLanguageFamily } from '../mask-code.ts'
import { importName, isContent, isData, isDocument, isSource } from './file-kinds.ts'
import { indexNames, literalsIn, referredBy } from './references.ts'
import { findReferrers, type Referrers } from './referrers.ts'
import { isLeftBehind } from './rust-modules.ts'
import { type Decision, isPlain, isReadKnown, type Trees } from './trees.ts'

export type DecideWork = (path: string) => Promise<Decision>

export function createDecideWork(trees: Trees): DecideWork {
  let referrers: Promise<ReadonlyMap<string, Readonly<Referrers>>> | undefined
  let names: ReadonlyMap<string, string> | undefined
  let documents: Promise<ReadonlySet<string>> | undefined
  const decide: DecideWork = async (path) => {
    names ??= importNames(trees)
    const twin = trees.before.has(path) ? undefined : names.get(importName(path) ?? '')
    if (twin !== undefined && twin !== path) {
      return other(`an import of ${twin} without its extension may load this file instead`)
    }
    if (!trees.scope.isWork(path)) {
      const replaced = findReplaced(trees, path)
      if (replaced !== undefined) return toReplacing(await decide(replaced), replaced)
      documents ??= freeDocuments(trees)
      return (await documents).has(path) ? document : outside(trees, path)
    }
    const { project } = trees.scope
    if (project === undefined) return work
    const isForTests = project.usedByTests.some((folder) => path.startsWith(folder))
    if (isForTests) return other('part of a package that others use only for development and tests')
    if (await isLeftBehind(trees, path))
      return other('no module of the product declares it any more')
    if (!needsReferrers(trees, path)) return work
    referrers ??= findReferrers(
      trees,
      trees.differing.filter((one) => needsReferrers(trees, one)),
    )
    const found = (await referrers).get(path)
    if (isData(path)) return classifyData(found, !trees.before.has(path))
    if (isContent(path)) return classifyContent(trees, path, found)
    if (found?.tests !== true || found.product) return work
    if (findLanguageFamily(path) === 'script' && isOfEntries(project, path)) {
      return other('only tests refer to it')
    }
    return (await holdsOnlyValues(trees, path)) && (await hasOtherSubject(trees, path))
      ? other('values without any function, to which only tests refer')
      : work
  }
  return decide
}

const work: Decision = { class: 'work', why: 'part of the scope' }
const document: Decision = {
  class: 'documents',
  why: 'documentation to which no code refers; the work must pass without this change as well',
}
const other = (why: string): Decision => ({ class: 'other', why })

const script = /\.[cm]?[jt]sx?$/

/** It is what the replaced file was. */
const toReplacing = ({ class: kind, why }: Decision, replaced: string): Decision =>
  kind === 'work' ? { class: kind, why: `replaces ${replaced}` } : { class: kind, why }

/**
 * JavaScript that becomes TypeScript, or the reverse: the removed file of the product with the same name in the same folder.
 * Without it, no import can load one instead of the other.
 */
function findReplaced(trees: Trees, path: string): string | undefined {
  const { scope, before, after, byPath } = trees
  if (scope.project === undefined || before.has(path) || byPath(path) !== undefined)
    return undefined
  if (!script.test(path) || importName(path) === undefined) return undefined
  const name = path.replace(script, '')
  return [...before.keys()].find(
    (one) =>
      !after.has(one) &&
      isPlain(before.get(one)) &&
      script.test(one) &&
      one.replace(script, '') === name &&
      scope.isWork(one) &&
      !isTestOf(trees, one),
  )
}

/**
 * Some tools open documents of the project that they start in: Yarn 1 reads README files. Such a file contains expectations
 * of tests only if they mention it; if they find it in another way, running the work alone reveals it.
 */
async function freeDocuments(trees: Trees): Promise<ReadonlySet<string>> {
  const paths = trees.differing.filter((path) => isDocument(path) && !trees.scope.isWork(path))
  const found = await findReferrers(trees, paths)
  return new Set(paths.filter((path) => found.get(path)?.code !== true))
}

function outside(trees: Trees, path: string): Decision {
  if (trees.byPath(path)?.kind === 'dependencies') {
    return other('a module of this name may be loaded instead of one that test runners need')
  }
  return other(
    isReadKnown(trees)
      ? 'read by a check and not part of the scope'
      : 'not part of the scope, and which files the checks read is unknown',
  )
}

/** Data, content, and existing code that no entry of its package leads to. */
function needsReferrers({ scope, before, testsOfBase, testsOfTree }: Trees, path: string): boolean {
  const { project } = scope
  // Without tests, data cannot be an expectation.
  if (testsOfBase.size + testsOfTree.size === 0) return false
  if (project === undefined || project.reached.has(path) || !scope.isWork(path)) return false
  if (isData(path) || isContent(path)) return true
  const family = findLanguageFamily(path)
  return before.has(path) && (family === 'script' || family === 'python')
}

function isOfEntries(
  { withEntries, withoutEntries }: NonNullable<Trees['scope']['project']>,
  path: string,
): boolean {
  const nearest = (folders: readonly string[]): number =>
    Math.max(-1, ...folders.filter((one) => path.startsWith(one)).map((one) => one.length))
  return nearest(withEntries) > nearest(withoutEntries)
}

/** A reference that the agent adds does not count if tests of the base refer to the data. */
function classifyData(found: Readonly<Referrers> | undefined, isNew: boolean): Decision {
  const tests = found?.tests === true
  if (found?.product === true) return work
  // Data that no code refers to cannot be an expectation of tests.
  if (!tests && (isNew || found?.productOfTree === true)) return work
  return other(
    tests ? 'data to which only tests refer' : 'data to which no code of the product refers',
  )
}

/** Like data, unless tests are about nothing else, or it is a page that loads code of the product. */
async function classifyContent(
  trees: Trees,
  path: string,
  found: Readonly<Referrers> | undefined,
): Promise<Decision> {
  const decision = classifyData(found, !trees.before.has(path))
  const isNamed = found?.tests !== true && found?.named === true
  if (decision.class === 'work' || isNamed || (await loadsProduct(trees, path))) return work
  const isSubject = !(await hasOtherSubject(trees, path))
  // Tests in other languages do not refer to code by its path.
  const isRead = found?.tests === true && hasOtherCode(trees)
  return isSubject && !isRead ? work : decision
}

const hasOtherCode = (trees: Trees): boolean =>
  [...trees.before.keys()].some((path) => {
    const family = findLanguageFamily(path)
    const isByPath = family === undefined || family === 'script' || family === 'python'
    return !isByPath && trees.scope.isWork(path) && trees.byPath(path)?.kind !== 'test'
  })

/** On the base: what the agent adds to a file does not make it part of the product. */
async function loadsProduct(trees: Trees, path: string): Promise<boolean> {
  if (!isSource(path)) return false
  const text = (await trees.textOfBase(path)) ?? ''
  const code = new Set(
    [...trees.before.keys()].filter(
      (one) =>
        findLanguageFamily(one) !== undefined && trees.scope.isWork(one) && !isTestOf(trees, one),
    ),
  )
  const index = indexNames(code)
  return literalsIn(path, text).some(
    (literal) => referredBy(path, literal, index, (one) => code.has(one)).length > 0,
  )
}

const isTestOf = ({ testsOfBase, byPath }: Trees, path: string): boolean =>
  testsOfBase.has(path) || byPath(path)?.kind === 'test'

const functions = /=>|\b(?:function|class|def|lambda|get|set)\b|\)\s*\{/

/** Before and after: such modules typically hold expectations. */
async function holdsOnlyValues(trees: Trees, path: string): Promise<boolean> {
  const texts = await Promise.all([trees.textOfBase(path), trees.textOfTree(path)])
  return texts.every((text) => text === undefined || !functions.test(text))
}

const subjectsMax = 500

/** Whether tests refer to other product code, so that these values are not what they test. */
async function hasOtherSubject(trees: Trees, path: string): Promise<boolean> {
  const isCode = (one: string): boolean =>
    ['script', 'python'].includes(findLanguageFamily(one) ?? '') && trees.scope.isWork(one)
  const others = [...trees.before.keys()].filter(
    (one) => one !== path && isCode(one) && !trees.testsOfBase.has(one),
  )
  const found = await findReferrers(trees, others.slice(0, subjectsMax))
  return [...found.values()].some(({ tests }) => tests)
}

/** The remaining files of the base, by the names that imports use. */
function importNames({ before, after }: Trees): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const path of before.keys()) {
    const name = after.has(path) ? importName(path) : undefined
    if (name !== undefined && !names.has(name)) names.set(name, path)
  }
  return names
}
