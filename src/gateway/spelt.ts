/**
 * Finds words in bytes of JSON where letters of them are written as escapes (`\u0073`), any of them, in
 * any mix, also in JSON within JSON, where there are more backslashes.
 *
 * Work is done only near escapes, and is linear: what is written without any is found faster otherwise.
 */

interface Letter {
  /** In UTF-8. */
  readonly raw: Buffer
  /** As an escape names it; two where it takes two. */
  readonly units: readonly number[]
}

export interface Spelling {
  /** As JSON has it when nothing is escaped that need not be. */
  readonly plain: Buffer
  readonly letters: readonly Letter[]
}

export interface Spellings {
  readonly all: readonly Spelling[]
  /** As long as one can be written. */
  readonly bytesMax: number
  /** By the byte that they begin with; under the backslash, those whose first letter may follow one. */
  readonly byByte: readonly (readonly Spelling[] | undefined)[]
  /** By their first letter as an escape names it. */
  readonly byUnit: ReadonlyMap<number, readonly Spelling[]>
}

const backslash = 0x5c
const letterU = 0x75
/** JSON within JSON within JSON has seven. */
const backslashesMax = 8
const escapeBytesMax = backslashesMax + 5
const escape = Buffer.from(String.raw`\u`)

export function spellingsOf(words: readonly string[]): Spellings {
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

export interface Place {
  readonly from: number
  readonly to: number
}

/** Where words are that have an escape in them, in order, none within another. */
export function findSpelt(bytes: Buffer, spellings: Spellings): readonly Place[] {
  const found: Place[] = []
  if (spellings.all.length === 0) return found
  let done = 0
  const start = bytes.indexOf(escape)
  // Faster than to search each time where there are many.
  for (let at = start === -1 ? bytes.length : start; at < bytes.length; at++) {
    if (bytes[at] !== backslash || bytes[at + 1] !== letterU || at < done) continue
    const first = runStart(bytes, at, done)
    // Whatever is before the first escape of a word is written plainly, so no place is looked at twice.
    const from = Math.max(done, first - spellings.bytesMax)
    const place =
      plainlyBegun(bytes, from, first, spellings) ?? begunAt(bytes, first, at, spellings)
    done = place?.to ?? at + 2
    if (place !== undefined) found.push(place)
  }
  return found
}

/** Where words are that have none. */
export function findPlain(bytes: Buffer, { all }: Spellings): readonly Place[] {
  const found: Place[] = []
  for (const { plain } of all) {
    for (let at = bytes.indexOf(plain); at !== -1; at = bytes.indexOf(plain, at + plain.length)) {
      found.push({ from: at, to: at + plain.length })
    }
  }
  return found
}

/** How many bytes at the end may be the beginning of a word, however it is written. */
export function speltSoFar(bytes: Buffer, { all, bytesMax, byByte }: Spellings): number {
  for (let from = Math.max(0, bytes.length - bytesMax); from < bytes.length; from++) {
    const byte = bytes[from] ?? 0
    const likely = byte === backslash ? all : byByte[byte]
    if (likely?.some(({ letters }) => endOf(bytes, from, letters) === 'more') === true) {
      return bytes.length - from
    }
  }
  return 0
}

function runStart(bytes: Buffer, at: number, least: number): number {
  let from = at
  while (from > least && at - from < backslashesMax - 1 && bytes[from - 1] === backslash) from--
  return from
}

function plainlyBegun(
  bytes: Buffer,
  from: number,
  to: number,
  { byByte }: Spellings,
): Place | undefined {
  for (let at = from; at < to; at++) {
    const place = oneOf(bytes, at, byByte[bytes[at] ?? 0])
    if (place !== undefined) return place
  }
  return undefined
}

/** `at` is where the last backslash is, `from` where the first. */
function begunAt(
  bytes: Buffer,
  from: number,
  at: number,
  { byUnit }: Spellings,
): Place | undefined {
  let unit = 0
  for (let digit = at + 2; digit < at + 6; digit++) unit = unit * 16 + hexValue(bytes[digit] ?? 0)
  return oneOf(bytes, from, byUnit.get(unit))
}

function oneOf(
  bytes: Buffer,
  at: number,
  spellings: readonly Spelling[] | undefined,
): Place | undefined {
  if (spellings === undefined) return undefined
  for (const { letters } of spellings) {
    const end = endOf(bytes, at, letters)
    if (typeof end === 'number') return { from: at, to: end }
  }
  return undefined
}

type End = number | 'more' | undefined

/** Where the word ends that begins at this place, if one does; `more` when only the end is missing. */
function endOf(bytes: Buffer, at: number, letters: readonly Letter[]): End {
  let place = at
  for (const letter of letters) {
    if (place >= bytes.length) return 'more'
    const next = afterLetter(bytes, place, letter)
    if (typeof next !== 'number') return next
    place = next
  }
  return place
}

function afterLetter(bytes: Buffer, at: number, { raw, units }: Letter): End {
  const byte = bytes[at]
  if (byte === raw[0] && (byte !== backslash || !isEscape(bytes, at))) {
    if (raw.length === 1) return at + 1
    const rest = Math.min(raw.length, bytes.length - at)
    if (bytes.compare(raw, 0, rest, at, at + rest) !== 0) return undefined
    return rest < raw.length ? 'more' : at + raw.length
  }
  if (byte !== backslash) return undefined
  let place = at
  for (const unit of units) {
    const next = afterUnit(bytes, place, unit)
    if (typeof next !== 'number') return next
    place = next
  }
  return place
}

/** A backslash that is one, before another or before anything but an escape. */
function isEscape(bytes: Buffer, at: number): boolean {
  const next = bytes[at + 1]
  return next === undefined || next === letterU || next === backslash
}

function afterUnit(bytes: Buffer, at: number, unit: number): End {
  let place = at
  while (place - at < backslashesMax && bytes[place] === backslash) place++
  if (place === bytes.length) return 'more'
  if (place === at) return undefined
  if (bytes[place] !== letterU) {
    // `\"` and `\/` are themselves, and so is a backslash.
    const isItself = bytes[place] === unit && !isWordLetter(unit)
    if (isItself) return place + 1
    return unit === backslash ? place : undefined
  }
  for (let digit = 0; digit < 4; digit++) {
    const byte = bytes[place + 1 + digit]
    if (byte === undefined) return 'more'
    if (hexValue(byte) !== ((unit >> (12 - 4 * digit)) & 15)) return undefined
  }
  return place + 5
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

const isWordLetter = (unit: number): boolean => /\w/.test(String.fromCharCode(unit))
