/**
 * What changed between two versions of a test file. Only added tests are harmless: the text of every other
 * test, and what is around the tests, must be the same and in the same order.
 */

import { readSourceOf } from './languages.ts'
import type { Item, ReadSource } from './test-source.ts'

export interface TestFileChanges {
  /** Nothing but tests, suites and imports was added. */
  readonly onlyAdds: boolean
  /** Titles, suites first. */
  readonly added: readonly (readonly string[])[]
  readonly changed: readonly (readonly string[])[]
  readonly removed: readonly (readonly string[])[]
  /** Something other than tests changed, apart from added imports. */
  readonly outside: boolean
}

interface Found {
  readonly before: Item[]
  readonly after: Item[]
}

const isSame = (a: Item, b: Item): boolean =>
  a.kind === b.kind && (a.text === b.text || (a.header !== undefined && a.header === b.header))

/** Items of `before` are looked for in `after` in their order. */
function compare(before: readonly Item[], after: readonly Item[], found: Found): void {
  let from = 0
  for (const item of before) {
    const next = after.findIndex((one, index) => index >= from && isSame(item, one))
    const match = after[next]
    if (match === undefined) {
      found.before.push(item)
      continue
    }
    found.after.push(...after.slice(from, next))
    from = next + 1
    if (match.text !== item.text) compare(item.items ?? [], match.items ?? [], found)
  }
  found.after.push(...after.slice(from))
}

const isTest = (item: Item): boolean => item.kind === 'test' || item.kind === 'suite'

/** Of a suite all that is in it. */
const testsIn = (items: readonly Item[]): readonly (readonly string[])[] =>
  items.flatMap((item) => {
    if (item.kind === 'test') return [item.titles]
    return item.kind === 'suite' ? (item.items ? testsIn(item.items) : [item.titles]) : []
  })

/** Undefined: the language is not known here, or one of the texts cannot be parsed. */
export async function compareTestFiles(
  file: string,
  before: string,
  after: string,
  read: ReadSource | undefined = readSourceOf(file),
): Promise<TestFileChanges | undefined> {
  const [old, current] = await Promise.all([read?.(file, before), read?.(file, after)])
  if (old === undefined || current === undefined) return undefined
  const found: Found = { before: [], after: [] }
  compare(old.items, current.items, found)
  const outside =
    found.before.some((item) => !isTest(item)) ||
    found.after.some((item) => !isTest(item) && item.kind !== 'import')
  const [gone, come] = [testsIn(found.before), testsIn(found.after)]
  const key = (titles: readonly string[]): string => titles.join('\n')
  const [goneKeys, comeKeys] = [new Set(gone.map(key)), new Set(come.map(key))]
  return {
    onlyAdds: found.before.length === 0 && !outside,
    added: come.filter((titles) => !goneKeys.has(key(titles))),
    changed: gone.filter((titles) => comeKeys.has(key(titles))),
    removed: gone.filter((titles) => !comeKeys.has(key(titles))),
    outside,
  }
}
