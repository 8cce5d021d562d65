/**
 * One small change of one file. The inserted text consists of literal text and ranges of the same
 * file: so one edit fits a TypeScript file and that file without its types, which has the same
 * length.
 */

export type Piece = string | readonly [from: number, to: number]

/** What an operator proposes; `end` is exclusive. */
export interface Draft {
  readonly start: number
  readonly end: number
  readonly pieces: readonly Piece[]
  /** Likelihood relative to other edits of its operator, from 0 to 1. Default: 1. */
  readonly weight?: number
}

export interface Edit extends Draft {
  /** Relative to the project root. */
  readonly file: string
  readonly operator: string
}

export function applyEdit(text: string, edit: Draft): string {
  return text.slice(0, edit.start) + insertedText(text, edit) + text.slice(edit.end)
}

export const insertedText = (text: string, { pieces }: Draft): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : text.slice(...piece))).join('')

/** The edit that undoes it: for the text after `edit` was applied. */
export function invertEdit(text: string, edit: Draft): Draft {
  const inserted = insertedText(text, edit)
  return {
    start: edit.start,
    end: edit.start + inserted.length,
    pieces: [text.slice(edit.start, edit.end)],
  }
}

export const lineNumberAt = (text: string, offset: number): number =>
  text.slice(0, offset).split('\n').length

const shownCharsMax = 80
const contextChars = 40

/** `src/a.js:12: a < b → a <= b`, with the whole line if it is short, else the part that changes. */
export function describeEdit(text: string, edit: Edit): string {
  const from = text.lastIndexOf('\n', edit.start - 1) + 1
  const lineEnd = text.indexOf('\n', edit.end)
  const to = lineEnd === -1 ? text.length : lineEnd
  const after = text.slice(from, edit.start) + insertedText(text, edit) + text.slice(edit.end, to)
  const place = `${edit.file}:${lineNumberAt(text, edit.start)}`
  const lines = [text.slice(from, to), after].map((line) => line.replaceAll(/\s+/g, ' ').trim())
  const [was = '', is = ''] = lines
  const start = Math.max(0, countCommon(was, is) - contextChars)
  return `${place}: ${shown(was, start)} → ${shown(is, start)}`
}

function countCommon(a: string, b: string): number {
  let count = 0
  while (count < a.length && a[count] === b[count]) count++
  return count
}

function shown(line: string, start: number): string {
  if (line === '') return '(nothing)'
  if (line.length <= shownCharsMax) return line
  const end = start + shownCharsMax
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`
}
