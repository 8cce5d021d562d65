/**
 * Compares two versions of a test file. Only added tests are harmless: every other test and the code around the tests
 * must be unchanged and in the same order.
 */

import { findReader } from './languages.ts'
import type { Item, ReadSource } from './test-source.ts'

export interface TestFileChanges {
  /** Only tests, suites and imports were added. */
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

/** Searches the items of `before` in `after`, in order. */
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

/** For a suite, everything in it. */
const testsIn = (items: readonly Item[]): readonly (readonly string[])[] =>
  items.flatMap((item) => {
    if (item.kind === 'test') return [item.titles]
    return item.kind === 'suite' ? (item.items ? testsIn(item.items) : [item.titles]) : []
  })

/** Undefined: the language is unknown, or one of the texts cannot be parsed. */
export async function compareTestFiles(
  file: string,
  before: string,
  after: string,
  read: ReadSource | undefined = findReader(file),
): Promise<TestFileChanges | undefined> {
  const [old, current] = await Promise.all([read?.(file, before), read?.(file, after)])
  if (old === undefined || current === undefined) return undefined
  const found: Found = { before: [], after: [] }
  compare(old.items, current.items, found)
  const outside =
    found.before.some((item) => !isTest(item)) ||
    found.after.some((item) => !isTest(item) && item.kind !== 'import')
  const [removed, added] = [testsIn(found.before), testsIn(found.after)]
  const key = (titles: readonly string[]): string => titles.join('\n')
  const [removedKeys, addedKeys] = [new Set(removed.map(key)), new Set(added.map(key))]
  return {
    onlyAdds: found.before.length === 0 && !outside,
    added: added.filter((titles) => !removedKeys.has(key(titles))),
    changed: removed.filter((titles) => addedKeys.has(key(titles))),
    removed: removed.filter((titles) => !addedKeys.has(key(titles))),
    outside,
  }
}
