/**
 * Where the members of a JSON object are, in bytes, so that one can be changed and everything else
 * passes as it came. The text is known to be valid JSON.
 */

export interface Span {
  readonly from: number
  readonly to: number
}

export interface Members {
  /** Right after the opening brace. */
  readonly inside: number
  /** By their names, decoded; where each value is. */
  readonly values: ReadonlyMap<string, Span>
  /** A name that is there twice: two readers may disagree on which one counts. */
  readonly twice: string | undefined
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Nothing when there is no object at that place. */
export function membersOf(bytes: Buffer, at = 0): Members | undefined {
  const start = skipBlank(bytes, at)
  if (bytes[start] !== openBrace) return undefined
  const values = new Map<string, Span>()
  let twice: string | undefined
  let place = skipBlank(bytes, start + 1)
  while (place < bytes.length && bytes[place] !== closeBrace) {
    const nameEnd = stringEnd(bytes, place)
    const name = JSON.parse(bytes.toString('utf8', place, nameEnd)) as string
    const from = skipBlank(bytes, skipBlank(bytes, nameEnd) + 1)
    const to = valueEnd(bytes, from)
    if (values.has(name)) twice = name
    values.set(name, { from, to })
    place = skipBlank(bytes, to)
    if (bytes[place] === comma) place = skipBlank(bytes, place + 1)
  }
  return { inside: start + 1, values, twice }
}

export interface Edit extends Span {
  readonly text: string
}

export function applyEdits(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let place = 0
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from)) {
    parts.push(bytes.subarray(place, from), Buffer.from(text))
    place = to
  }
  return Buffer.concat([...parts, bytes.subarray(place)])
}

/** Puts a member first into an object; the rest keeps its order. */
export function insertMember({ inside, values }: Members, member: string): Edit {
  const after = values.size === 0 ? '' : ','
  return { from: inside, to: inside, text: `${member}${after}` }
}

function skipBlank(bytes: Buffer, at: number): number {
  let place = at
  for (;;) {
    const byte = bytes[place]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return place
    place++
  }
}

/** The place after the closing quote. */
export function stringEnd(bytes: Buffer, at: number): number {
  let place = at + 1
  for (;;) {
    const found = bytes.indexOf(quote, place)
    if (found === -1) return bytes.length
    let escapes = 0
    while (bytes[found - 1 - escapes] === backslash && found - 1 - escapes > at) escapes++
    if (escapes % 2 === 0) return found + 1
    place = found + 1
  }
}

function valueEnd(bytes: Buffer, at: number): number {
  let depth = 0
  let place = at
  while (place < bytes.length) {
    const byte = bytes[place]
    if (byte === quote) {
      place = stringEnd(bytes, place)
      if (depth === 0) return place
      continue
    }
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return place
      depth--
      if (depth === 0) return place + 1
    } else if (depth === 0 && (byte === comma || isBlank(byte))) return place
    place++
  }
  return place
}

const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
