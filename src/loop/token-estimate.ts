/**
 * An upper estimate of the tokens of a text, for models whose tokenizer is not available. One pass,
 * no vocabulary.
 *
 * T1. Not below the counts of o200k and cl100k, for prose in the common languages, code, JSON, encoded
 *     bytes, numbers and whitespace; above them by about `margin`, because tokenizers of other vendors
 *     produce up to 35 % more tokens for the same text.
 * T2. A text weighs at most as much as its lines: the weights of parts that are split after line feeds
 *     add up to at least the weight of the whole.
 *
 * The estimate can be too low for deliberately unusual text, such as random ideographs, which are up
 * to three tokens each. The provider's own count, after the first call, is exact.
 */

/** Weights are counted in twentieths of a token, so that sums are exact. */
const token = 20
/** In twentieths too. */
const marginWeight = 27
export const margin: number = marginWeight / token

/** Tokens for a weight, rounded up. */
export const tokensOf = (weight: number): number =>
  Math.ceil((weight * marginWeight) / (token * token))

/** The largest weight that is at most this many tokens. */
export const weightOf = (tokens: number): number =>
  Math.floor((tokens * token * token) / marginWeight)

export const estimateTokens = (text: string): number => tokensOf(weigh(text))

const start = 0
const space = 1
const blank = 2
const lower = 3
const upper = 4
const digit = 5
const mark = 6
const other = 7

const kinds: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return lower
  if (code >= 65 && code <= 90) return upper
  if (code >= 48 && code <= 57) return digit
  if (code === 32) return space
  return code < 32 || code === 127 ? blank : mark
})

/**
 * The 250 most frequent letter pairs in English and code, as a set of second letters for each first
 * letter. Tokens consist of frequent pairs; a token ends at a rare pair.
 */
const pairs: Uint32Array = Uint32Array.from([
  0x1debd6e, 0x1124a11, 0x01a4d91, 0x0164111, 0x1eff97d, 0x11e4931, 0x00a2191, 0x00e4111, 0x22ff87d,
  0x0044010, 0x0040110, 0x11c4919, 0x004d113, 0x01ced7d, 0x07efd6f, 0x01ec911, 0x0100000, 0x13e757d,
  0x15ccd95, 0x19ed195, 0x00eb91d, 0x0004111, 0x0026191, 0x0088000, 0x004a900, 0x0000010,
])

const isFrequent = (first: number, second: number): boolean =>
  (((pairs[(first | 32) - 97] ?? 0) >>> ((second | 32) - 97)) & 1) === 1

/** The weight of a part of a text on its own. */
export function weigh(text: string, from = 0, to: number = text.length): number {
  let weight = 0
  let previous = start
  let previousCode = 0
  let run = 0
  /** Letters right after digits: an id or encoded bytes, which have short tokens. */
  let mixed = false
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index)
    const kind = code < 128 ? (kinds[code] ?? other) : other
    const goesOn = kind === previous || (kind === lower && previous === upper && run === 1)
    if (kind === lower || kind === upper) {
      if (goesOn) {
        run++
        weight += weightInWord(previousCode, code, run, kind === upper, mixed)
      } else {
        mixed = previous === digit || (mixed && (previous === lower || previous === upper))
        weight += previous === mark ? 16 : token
        run = 1
      }
    } else {
      run = goesOn ? run + 1 : 1
      weight += weightOfOther(kind, previous, code, previousCode, run)
    }
    previous = kind
    previousCode = code
  }
  // A space belongs to the word after it; at the end there is none.
  return previous === space && run === 1 ? weight + token : weight
}

function weightInWord(
  previousCode: number,
  code: number,
  run: number,
  isUpper: boolean,
  mixed: boolean,
): number {
  if (!isFrequent(previousCode, code)) return isUpper || mixed ? 18 : 15
  if (mixed) return 8
  if (run % 4 !== 3) return 0
  if (run > 5) return 18
  return isUpper ? 6 : 0
}

function weightOfOther(
  kind: number,
  previous: number,
  code: number,
  previousCode: number,
  run: number,
): number {
  const again = kind === previous
  switch (kind) {
    case digit:
      // Three digits are a token; the space before a number is a separate token.
      if (again) return run % 3 === 1 ? token : 0
      return previous === space ? 2 * token : token
    case space:
      if (again) return run === 2 || run % 16 === 0 ? token : 0
      return previous === start ? token : previous === blank ? 8 : 0
    case blank: {
      if (code === 10 && previousCode === 13) return 0
      const isLayout = code >= 9 && code <= 13
      return again && code === previousCode && isLayout && run % 16 !== 0 ? 0 : token
    }
    case mark:
      if (!again) return token
      if (code !== previousCode) return 15
      return run % 16 === 0 ? token : run === 2 ? 8 : 0
    default:
      return weightOfRange(code)
  }
}

/** Outside of ASCII the weight depends on the script. At most the number of bytes. */
function weightOfRange(code: number): number {
  if (code < 0x250) return 28
  if (code < 0x800) return code >= 0x400 && code < 0x530 ? 13 : 26
  if (code < 0xe00) return 36
  if (code < 0xe80) return 22
  if (code < 0x1e00) return 46
  if (code < 0x2000) return 30
  if (code < 0x2010) return 42
  if (code < 0x2070) return 20
  if (code < 0x3000) return code >= 0x2500 && code < 0x2580 ? 20 : 42
  if (code < 0xa000) return 26
  if (code >= 0xac00 && code < 0xd7b0) return 26
  // Halves of surrogate pairs; a pair is four bytes.
  if (code >= 0xd800 && code < 0xe000) return 30
  return code >= 0xff00 ? 30 : 44
}
