/**
 * Locates the members of a JSON object by byte offset, so that one can be changed while everything
 * else passes unchanged. The text is known to be valid JSON.
 */

export interface Span {
  readonly from: number
  readonly to: number
}

export interface Members {
  /** The offset right after the opening brace. */
  readonly contentStart: number
  /** The span of each value, by decoded name. */
  readonly values: ReadonlyMap<string, Span>
  /** A name that occurs twice: two parsers may disagree on which one counts. */
  readonly duplicate: string | undefined
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Undefined if there is no object at that offset. */
export function findMembers(bytes: Buffer, at = 0): Members | undefined {
  const start = skipWhitespace(bytes, at)
  if (bytes[start] !== openBrace) return undefined
  const values = new Map<string, Span>()
  let duplicate: string | undefined
  let offset = skipWhitespace(bytes, start + 1)
  while (offset < bytes.length && bytes[offset] !== closeBrace) {
    const nameEnd = findStringEnd(bytes, offset)
    const name = JSON.parse(bytes.toString('utf8', offset, nameEnd)) as string
    const from = skipWhitespace(bytes, skipWhitespace(bytes, nameEnd) + 1)
    const to = findValueEnd(bytes, from)
    if (values.has(name)) duplicate = name
    values.set(name, { from, to })
    offset = skipWhitespace(bytes, to)
    if (bytes[offset] === comma) offset = skipWhitespace(bytes, offset + 1)
  }
  return { contentStart: start + 1, values, duplicate }
}

export interface Edit extends Span {
  readonly text: string
}

export function applyEdits(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let offset = 0
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from)) {
    parts.push(bytes.subarray(offset, from), Buffer.from(text))
    offset = to
  }
  return Buffer.concat([...parts, bytes.subarray(offset)])
}

/** Inserts a member at the start of an object; the rest keeps its order. */
export function insertMember({ contentStart, values }: Members, member: string): Edit {
  const after = values.size === 0 ? '' : ','
  return { from: contentStart, to: contentStart, text: `${member}${after}` }
}

function skipWhitespace(bytes: Buffer, at: number): number {
  let offset = at
  for (;;) {
    const byte = bytes[offset]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return offset
    offset++
  }
}

/** The offset after the closing quote. */
export function findStringEnd(bytes: Buffer, at: number): number {
  let offset = at + 1
  for (;;) {
    const found = bytes.indexOf(quote, offset)
    if (found === -1) return bytes.length
    let escapes = 0
    while (bytes[found - 1 - escapes] === backslash && found - 1 - escapes > at) escapes++
    if (escapes % 2 === 0) return found + 1
    offset = found + 1
  }
}

function findValueEnd(bytes: Buffer, at: number): number {
  let depth = 0
  let offset = at
  while (offset < bytes.length) {
    const byte = bytes[offset]
    if (byte === quote) {
      offset = findStringEnd(bytes, offset)
      if (depth === 0) return offset
      continue
    }
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return offset
      depth--
      if (depth === 0) return offset + 1
    } else if (depth === 0 && (byte === comma || isWhitespace(byte))) return offset
    offset++
  }
  return offset
}

const isWhitespace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
