/**
 * The text of a file, with positions as line and column.
 *
 * Refuses, with the position: text that is not UTF-8 or too long, and characters that a user who reviews the file would
 * not see (control characters, and those that change the direction of the text).
 */

export interface Position {
  readonly line: number
  readonly column: number
}

export interface SourceText {
  /** Without a byte order mark. */
  readonly text: string
  positionAt(offset: number): Position
}

export interface SourceProblem extends Position {
  readonly reason: string
}

export const sourceBytesMax: number = 1024 * 1024

export type SourceResult =
  | { readonly type: 'text'; readonly source: SourceText }
  | { readonly type: 'refused'; readonly problem: SourceProblem }

export function readSource(content: string | Uint8Array): SourceResult {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
  if (bytes.length > sourceBytesMax) {
    return refused({ line: 1, column: 1 }, `it is over ${sourceBytesMax} bytes: make it shorter`)
  }
  const decoded = bytes.toString('utf8')
  const source = sourceText(decoded.replace(/^\ufeff/, ''))
  const damage = firstDifference(bytes, Buffer.from(decoded))
  if (damage !== undefined)
    return refused(source.positionAt(lengthOf(bytes, damage)), notUtf8(bytes))
  const hidden = hiddenCharacter.exec(source.text)
  if (hidden !== null) {
    const number = (hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return refused(
      source.positionAt(hidden.index),
      `the invisible character U+${number} is not allowed: remove it, ` +
        `or write it as "\\u${number.toLowerCase()}" in double quotes`,
    )
  }
  return { type: 'text', source }
}

const refused = (position: Position, reason: string): SourceResult => ({
  type: 'refused',
  problem: { ...position, reason },
})

/** Allows tabs and line breaks. U+FEFF is allowed only at the start of a file. */
const hiddenCharacter =
  // oxlint-disable-next-line no-control-regex -- it searches for control characters.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\r(?!\n)/u

function notUtf8(bytes: Buffer): string {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  return `it is not UTF-8${wide ? ' but UTF-16' : ''}: save the file as UTF-8`
}

function firstDifference(a: Buffer, b: Buffer): number | undefined {
  if (a.equals(b)) return undefined
  const end = Math.min(a.length, b.length)
  for (let index = 0; index < end; index++) if (a[index] !== b[index]) return index
  return end
}

/** In characters, without a byte order mark. */
const lengthOf = (bytes: Buffer, end: number): number =>
  bytes.toString('utf8', 0, end).replace(/^\ufeff/, '').length

export function sourceText(text: string): SourceText {
  const lineStarts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    lineStarts.push(end + 1)
  }
  return {
    text,
    positionAt(offset) {
      const at = Math.min(Math.max(0, offset), text.length)
      let low = 0
      let high = lineStarts.length - 1
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if ((lineStarts[middle] ?? 0) <= at) low = middle
        else high = middle - 1
      }
      return { line: low + 1, column: at - (lineStarts[low] ?? 0) + 1 }
    },
  }
}
