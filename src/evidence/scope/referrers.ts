/** Finds out what refers to changed files: tests, the product before, or the product now. */

import { isForeign, isSource, nameOf } from './file-kinds.ts'
import { indexNames, literalsIn, referredBy } from './references.ts'
import type { Trees } from './trees.ts'

const sourcesMax = 4000

export interface Referrers {
  tests: boolean
  /** Product code or manifests. */
  product: boolean
  /** Code of tests or of the product. */
  code: boolean
  productOfTree: boolean
  /** Product code names it without its extension, as `render('mail')` does. */
  named: boolean
}

const manifests = /^(?:package\.json|pyproject\.toml|setup\.(?:cfg|py)|Cargo\.toml|MANIFEST\.in)$/

export async function findReferrers(
  trees: Trees,
  candidates: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Referrers>>> {
  const found = new Map(
    candidates.map((path) => [
      path,
      { tests: false, product: false, code: false, productOfTree: false, named: false },
    ]),
  )
  if (candidates.length === 0) return found
  const { before, after, differing } = trees
  const index = indexNames(candidates)
  const has = (path: string): boolean => before.has(path) || after.has(path)
  const isTest = (path: string): boolean =>
    trees.testsOfBase.has(path) ||
    trees.testsOfTree.has(path) ||
    trees.byPath(path)?.kind === 'test'
  const refersTo = (path: string, literals: readonly string[]): readonly string[] =>
    literals.flatMap((literal) => referredBy(path, literal, index, has)).filter((to) => to !== path)
  const sources = nearest([...before.keys()].filter(mayRefer), candidates)
  const texts = await Promise.all(sources.map((path) => trees.textOfBase(path)))
  for (const [at, path] of sources.entries()) {
    const key = isTest(path) ? 'tests' : 'product'
    const isCode = !manifests.test(nameOf(path))
    const literals = literalsIn(path, texts[at] ?? '')
    for (const to of refersTo(path, literals)) {
      mark(found.get(to), key)
      if (isCode) mark(found.get(to), 'code')
    }
    if (key === 'tests') continue
    const named = literals.flatMap((literal) => index.byName.get(nameOf(literal)) ?? [])
    for (const to of named) if (to !== path) mark(found.get(to), 'named')
  }
  const changed = differing.filter((path) => mayRefer(path) && after.has(path)).slice(0, sourcesMax)
  const now = await Promise.all(changed.map((path) => trees.textOfTree(path)))
  for (const [at, path] of changed.entries()) {
    if (isTest(path)) continue
    const literals = literalsIn(path, now[at] ?? '')
    for (const to of refersTo(path, literals)) mark(found.get(to), 'productOfTree')
  }
  return found
}

function mark(referrers: Referrers | undefined, key: keyof Referrers): void {
  if (referrers !== undefined) referrers[key] = true
}

const mayRefer = (path: string): boolean =>
  !isForeign(path) && (isSource(path) || manifests.test(nameOf(path)))

/** In a large tree, prefers files that share a top folder with the candidates. */
function nearest(paths: readonly string[], candidates: readonly string[]): readonly string[] {
  if (paths.length <= sourcesMax) return paths
  const tops = new Set(candidates.map(topOf))
  return paths
    .toSorted((a, b) => Number(tops.has(topOf(b))) - Number(tops.has(topOf(a))))
    .slice(0, sourcesMax)
}

const topOf = (path: string): string => path.split('/').slice(0, 2).join('/')
