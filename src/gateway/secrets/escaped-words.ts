/**
 * Finds words in JSON bytes whose characters are written as escapes (`\u0073`), any of them, in any
 * mix, also in nested JSON, where there are more backslashes.
 *
 * Only the bytes near escapes are examined, in linear time: words without escapes are found faster
 * by other means.
 */

interface Letter {
  /** In UTF-8. */
  readonly raw: Buffer
  /** The UTF-16 code units in its escape; two for a surrogate pair. */
  readonly units: readonly number[]
}

export interface Spelling {
  /** As JSON writes it with only the required escapes. */
  readonly plain: Buffer
  readonly letters: readonly Letter[]
}

export interface Spellings {
  readonly all: readonly Spelling[]
  /** The longest that one can be when written. */
  readonly bytesMax: number
  /** By first byte; under the backslash, those whose first character may follow one. */
  readonly byByte: readonly (readonly Spelling[] | undefined)[]
  /** By the first code unit. */
  readonly byUnit: ReadonlyMap<number, readonly Spelling[]>
}

const backslash = 0x5c
const letterU = 0x75
/** JSON nested twice has seven. */
const backslashesMax = 8
const escapeBytesMax = backslashesMax + 5
const escape = Buffer.from(String.raw`\u`)

export function toSpellings(words: readonly string[]): Spellings {
  const all = words.map((word) => ({
    plain: Buffer.from(JSON.stringify(word).slice(1, -1)),
    letters: Array.from(word, (letter) => ({
      raw: Buffer.from(letter),
      units: Array.from({ length: letter.length }, (_, index) => letter.charCodeAt(index)),
    })),
  }))
  const byByte: (readonly Spelling[] | undefined)[] = Array.from({ length: 256 })
  const byUnit = new Map<number, Spelling[]>()
  for (const spelling of all) {
    const byte = spelling.letters[0]?.raw[0] ?? 0
    const unit = spelling.letters[0]?.units[0] ?? 0
    byByte[byte] = [...(byByte[byte] ?? []), spelling]
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), spelling])
    if (byte === backslash || isWordLetter(unit)) continue
    byByte[backslash] = [...(byByte[backslash] ?? []), spelling]
  }
  const longest = Math.max(0, ...words.map(({ length }) => length))
  return { all, bytesMax: longest * escapeBytesMax, byByte, byUnit }
}

export interface Span {
  readonly from: number
  readonly to: number
}

/** The spans of words with an escape in them, in order and without overlap. */
export function findEscaped(bytes: Buffer, spellings: Spellings): readonly Span[] {
  const found: Span[] = []
  if (spellings.all.length === 0) return found
  let done = 0
  const start = bytes.indexOf(escape)
  // Faster than repeated searches where there are many escapes.
  for (let at = start === -1 ? bytes.length : start; at < bytes.length; at++) {
    if (bytes[at] !== backslash || bytes[at + 1] !== letterU || at < done) continue
    const first = findRunStart(bytes, at, done)
    // Whatever precedes the first escape of a word is plain, so no byte is examined twice.
    const from = Math.max(done, first - spellings.bytesMax)
    const span =
      matchPlainStart(bytes, from, first, spellings) ??
      matchEscapedStart(bytes, first, at, spellings)
    done = span?.to ?? at + 2
    if (span !== undefined) found.push(span)
  }
  return found
}

/** The spans of words without escapes. */
export function findPlain(bytes: Buffer, { all }: Spellings): readonly Span[] {
  const found: Span[] = []
  for (const { plain } of all) {
    for (let at = bytes.indexOf(plain); at !== -1; at = bytes.indexOf(plain, at + plain.length)) {
      found.push({ from: at, to: at + plain.length })
    }
  }
  return found
}

/** How many bytes at the end may be the start of a word, in any spelling. */
export function countPendingBytes(bytes: Buffer, { all, bytesMax, byByte }: Spellings): number {
  for (let from = Math.max(0, bytes.length - bytesMax); from < bytes.length; from++) {
    const byte = bytes[from] ?? 0
    const candidates = byte === backslash ? all : byByte[byte]
    if (candidates?.some(({ letters }) => matchWord(bytes, from, letters) === 'more') === true) {
      return bytes.length - from
    }
  }
  return 0
}

function findRunStart(bytes: Buffer, at: number, least: number): number {
  let from = at
  while (from > least && at - from < backslashesMax - 1 && bytes[from - 1] === backslash) from--
  return from
}

function matchPlainStart(
  bytes: Buffer,
  from: number,
  to: number,
  { byByte }: Spellings,
): Span | undefined {
  for (let at = from; at < to; at++) {
    const span = matchAny(bytes, at, byByte[bytes[at] ?? 0])
    if (span !== undefined) return span
  }
  return undefined
}

/** `at` is the last backslash, `from` the first. */
function matchEscapedStart(
  bytes: Buffer,
  from: number,
  at: number,
  { byUnit }: Spellings,
): Span | undefined {
  let unit = 0
  for (let digit = at + 2; digit < at + 6; digit++) unit = unit * 16 + hexValue(bytes[digit] ?? 0)
  return matchAny(bytes, from, byUnit.get(unit))
}

function matchAny(
  bytes: Buffer,
  at: number,
  spellings: readonly Spelling[] | undefined,
): Span | undefined {
  if (spellings === undefined) return undefined
  for (const { letters } of spellings) {
    const end = matchWord(bytes, at, letters)
    if (typeof end === 'number') return { from: at, to: end }
  }
  return undefined
}

type End = number | 'more' | undefined

/**
 * Where the word that starts here ends; `more` if the bytes end first; undefined if there is none.
 */
function matchWord(bytes: Buffer, at: number, letters: readonly Letter[]): End {
  let end = at
  for (const letter of letters) {
    if (end >= bytes.length) return 'more'
    const next = matchLetter(bytes, end, letter)
    if (typeof next !== 'number') return next
    end = next
  }
  return end
}

function matchLetter(bytes: Buffer, at: number, { raw, units }: Letter): End {
  const byte = bytes[at]
  if (byte === raw[0] && (byte !== backslash || !isEscape(bytes, at))) {
    if (raw.length === 1) return at + 1
    const rest = Math.min(raw.length, bytes.length - at)
    if (bytes.compare(raw, 0, rest, at, at + rest) !== 0) return undefined
    return rest < raw.length ? 'more' : at + raw.length
  }
  if (byte !== backslash) return undefined
  let end = at
  for (const unit of units) {
    const next = matchUnit(bytes, end, unit)
    if (typeof next !== 'number') return next
    end = next
  }
  return end
}

/** False for a literal backslash. */
function isEscape(bytes: Buffer, at: number): boolean {
  const next = bytes[at + 1]
  return next === undefined || next === letterU || next === backslash
}

function matchUnit(bytes: Buffer, at: number, unit: number): End {
  let end = at
  while (end - at < backslashesMax && bytes[end] === backslash) end++
  if (end === bytes.length) return 'more'
  if (end === at) return undefined
  if (bytes[end] !== letterU) {
    // `\"` and `\/` stand for themselves, and so does a backslash.
    const isLiteral = bytes[end] === unit && !isWordLetter(unit)
    if (isLiteral) return end + 1
    return unit === backslash ? end : undefined
  }
  for (let digit = 0; digit < 4; digit++) {
    const byte = bytes[end + 1 + digit]
    if (byte === undefined) return 'more'
    if (hexValue(byte) !== ((unit >> (12 - 4 * digit)) & 15)) return undefined
  }
  return end + 5
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

const isWordLetter = (unit: number): boolean => /\w/.test(String.fromCharCode(unit))
