/** Sealed changes in words. Paths and values come from the tree: they are quoted where they need it, and cut. */

import type { KeyedDifference } from './keyed-texts.ts'
import type { SealedChange, SealKind } from './sealed-change.ts'

const valueCharsMax = 120
const pathCharsMax = 160
const linesMax = 40

const kindWords: Readonly<Record<SealKind, string>> = {
  test: 'test',
  configuration: 'configuration',
  script: 'script',
  dependencies: 'dependencies',
  loop: 'loop file',
  ignore: 'ignore list',
}

const order: readonly SealKind[] = [
  'loop',
  'test',
  'script',
  'configuration',
  'ignore',
  'dependencies',
]

/** Lines for a question: the gravest kind first, each change once, not without end. */
export function describeSealed(changes: readonly SealedChange[]): readonly string[] {
  const sorted = changes.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  const lines = sorted
    .slice(0, linesMax)
    .map((change) => `- ${kindWords[change.kind]}: ${change.summary}`)
  const more = sorted.length - lines.length
  return more === 0 ? lines : [...lines, `- and ${more} more`]
}

export function summariseFile(path: string, what: SealedChange['what'], note = ''): string {
  const said = {
    changed: 'was changed',
    removed: 'was removed',
    added: 'is new and acts on what was there',
    renamed: 'was moved',
  }[what]
  return `${shownPath(path)} ${said}${note === '' ? '' : ` (${note})`}`
}

export function summariseKey(path: string, difference: KeyedDifference): string {
  const { before, after } = difference
  const key = `${shownPath(path)}: ${shownPath(difference.key)}`
  if (before === undefined) return `${key} is new: ${shownValue(after ?? '')}`
  if (after === undefined) return `${key} was removed; it was ${shownValue(before)}`
  return `${key} was ${shownValue(before)}, is now ${shownValue(after)}`
}

export function shownPath(path: string): string {
  const cut = path.length > pathCharsMax ? `${path.slice(0, pathCharsMax)}…` : path
  return /^[\w@./+\-:$*# ]*…?$/.test(cut) ? cut : JSON.stringify(cut)
}

const shownValue = (value: string): string => {
  const line = value.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > valueCharsMax ? `${line.slice(0, valueCharsMax)}…` : line
}
