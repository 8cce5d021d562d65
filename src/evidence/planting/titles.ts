/** Matches the tests of a source text with the titles that a runner reported. */

import { plural } from '../../loop/excerpt/plural.ts'
import type { Link, SourceTest, Title } from './test-source.ts'

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** `*` is a part that is only known at run time. */
export const showTitle = (title: Title): string => title.map((part) => part ?? '*').join('')

/** Whether the title can become this text. Linear time. */
export function canBe(title: Title, text: string): boolean {
  const parts = title.map((part) => part?.replaceAll(/\s+/g, ' ') ?? null)
  const wanted = plain(text)
  if (!parts.includes(null)) return plain(parts.join('')) === wanted
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  const [head, tail] = [first.trimStart(), last.trimEnd()]
  if (!wanted.startsWith(head) || !wanted.endsWith(tail)) return false
  let from = head.length
  for (const part of parts.slice(1, -1)) {
    if (part === null) continue
    const found = wanted.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return from + (parts.length > 1 ? tail.length : 0) <= wanted.length
}

const isComputed = (title: Title): boolean => title.every((part) => part === null || part === '')

/** How many suites match, in order; undefined: a certain one has another title. */
function matchLinks(links: readonly Link[], titles: readonly string[]): number | undefined {
  let from = 0
  let matched = 0
  for (const { title, certain } of links) {
    const found = titles.findIndex((text, index) => index >= from && canBe(title, text))
    if (found < 0 && certain) return undefined
    if (found < 0) continue
    from = found + 1
    matched += 1
  }
  return matched
}

interface Candidate {
  readonly test: SourceTest
  /** How many suites match; -1: they do not fit. */
  readonly suites: number
}

/**
 * All tests that can have these titles: with a failure in each of them, the test fails, whichever it is. A string: why
 * there are none.
 */
export function findByTitles(
  tests: readonly SourceTest[],
  titles: readonly string[],
): readonly SourceTest[] | string {
  const name = titles.at(-1) ?? ''
  const named = tests.filter((test) => canBe(test.title, name))
  const certain = named.some((test) => test.certain) ? named.filter((test) => test.certain) : named
  const candidates = certain.map(
    (test): Candidate => ({ test, suites: matchLinks(test.links, titles.slice(0, -1)) ?? -1 }),
  )
  const best = Math.max(-1, ...candidates.map((one) => one.suites))
  const fitting = candidates.filter((one) => one.suites === best).map((one) => one.test)
  const written = fitting.filter((test) => !isComputed(test.title))
  const found = written.length > 0 ? written : fitting
  if (found.length === 0) return 'no test with this title is in the file'
  if (best < 0 && written.length === 0) return 'no test with this title is in the file'
  if (best < 0 && found.length > 1)
    return `${plural(found.length, 'test')} have this title in other suites`
  if (written.length === 0 && found.length > 1)
    return `its title is computed, and ${plural(found.length, 'test')} of the file can have it`
  return found
}
