/** Makes untrusted text safe for a terminal. */

import type { RunWorktree } from '../../loop/index.ts'
import type { Run } from '../../protocol/api/index.ts'

/** The largest time value of a Date. */
const timeMaxMs = 8.64e15

export function renderTime(ms: number): string {
  if (Number.isNaN(ms)) return 'no time'
  return new Date(Math.min(Math.max(ms, -timeMaxMs), timeMaxMs)).toISOString()
}

/** Control characters, and those that change the direction of text. */
const unseen = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** JSON with control characters escaped, safe to view in a terminal. */
export const renderJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(unseen, jsonEscape)

const jsonEscape = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** Untrusted text on one line of a terminal: it cannot move the cursor or start a new line. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (character) => escapes[character] ?? hexEscape(character))

/** Untrusted text of several lines: newlines and tabs are kept, everything else is escaped. */
export const visibleText = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n')

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const hexEscape = (character: string): string =>
  `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

export const shownStatus = (run: Pick<Run, 'interrupted' | 'status' | 'merging'>): string => {
  if (run.interrupted) return 'interrupted'
  return run.merging === undefined ? run.status : `merging (${run.merging.position})`
}

/** Uncommitted files of a worktree. Undefined: none. */
export function describeCarried({ carried }: RunWorktree): string | undefined {
  if (carried === undefined) return undefined
  const { copied, linked } = carried
  return [
    ...(copied.length === 0 ? [] : [`${fewOf(copied)} (copied)`]),
    ...(linked.length === 0 ? [] : [`${fewOf(linked)} (linked)`]),
  ].join('; ')
}

const shownMax = 10

const fewOf = (paths: readonly string[]): string =>
  paths.length <= shownMax
    ? paths.join(', ')
    : `${paths.slice(0, shownMax).join(', ')} and ${paths.length - shownMax} more`

/** A detached checkout has the name HEAD. */
export const describeBase = ({ name, commit }: RunWorktree['base']): string =>
  `${name} ${commit.slice(0, 12)}${name === 'HEAD' ? ' (no branch)' : ''}`

export function renderTable(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(visible))
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
