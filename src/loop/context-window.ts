/**
 * Assembles a prompt within a token limit from named sections, ordered so that providers' caches hit
 * and cut in a predictable order.
 *
 * W1. The estimated size of the text never exceeds the limit.
 * W2. Stable sections come first, in the order given; then the others, in the order given.
 * W3. What does not fit is cut in this order: the lowest priority first; among equals the unstable
 *     before the stable, and the later before the earlier. Required sections are never cut.
 * W4. The result lists every cut, and the text marks where a section was shortened.
 * W5. No surrogate pair is split.
 */

import { LoopError } from './errors.ts'
import { tokensOf, weigh, weightOf } from './token-estimate.ts'

export interface Section {
  readonly name: string
  readonly text: string
  /** Sections with a lower priority are cut first. */
  readonly priority: number
  /** The same in each iteration, so it is placed first, where a provider can cache it. */
  readonly stable?: boolean
  /** Which part is kept when it is shortened. Default: `start`. */
  readonly keep?: 'start' | 'end'
  /** Never shortened: it is an error if it does not fit. */
  readonly required?: boolean
}

/** The size of one section in the text. Tokens are estimates. */
export interface SectionSize {
  readonly name: string
  readonly tokens: number
}

export interface Cut {
  readonly section: string
  /** How much was removed. */
  readonly tokens: number
  /** The whole section was removed. */
  readonly dropped: boolean
}

export interface Assembled {
  readonly text: string
  readonly tokens: number
  readonly sections: readonly SectionSize[]
  /** In the order in which they were made. */
  readonly cuts: readonly Cut[]
}

interface Piece {
  readonly section: Section
  readonly index: number
  readonly weight: number
  text: string
  left: number
}

const separator = '\n\n'
/** A shorter remainder is not worth keeping. */
const restTokensMin = 40
/** Lines longer than this may be cut in the middle. */
const lineCharsMax = 400
/** How much a cut inside a line can add to the weights of its two parts. */
const seamWeight = 80

export function assembleContext(
  sections: readonly Section[],
  options: { readonly tokensMax: number },
): Assembled {
  const { tokensMax } = options
  if (!Number.isSafeInteger(tokensMax) || tokensMax < 1) {
    const message = `A prompt cannot be limited to ${tokensMax} tokens. Use a positive whole number.`
    throw new LoopError('bad-request', message)
  }
  const seam = weigh(separator)
  const ordered = [...sections.filter(isStable), ...sections.filter((one) => !isStable(one))]
  const pieces = ordered
    .filter(({ text }) => text.trim() !== '')
    .map((section, index): Piece => {
      const weight = weigh(section.text) + seam
      return { section, index, weight, text: section.text, left: weight }
    })
  const cuts = cutToFit(pieces, weightOf(tokensMax), tokensMax)
  const kept = pieces.filter(({ text }) => text !== '')
  return {
    text: kept.map(({ text }) => text).join(separator),
    tokens: tokensOf(sum(kept)),
    sections: kept.map(({ section, left }) => ({ name: section.name, tokens: tokensOf(left) })),
    cuts,
  }
}

const isStable = (section: Section): boolean => section.stable === true

const sum = (pieces: readonly Piece[]): number =>
  pieces.reduce((total, { left }) => total + left, 0)

function cutToFit(pieces: readonly Piece[], weightMax: number, tokensMax: number): readonly Cut[] {
  const cuts: Cut[] = []
  let over = sum(pieces) - weightMax
  const cuttable = pieces.filter(({ section }) => section.required !== true)
  for (const piece of cuttable.toSorted(byCutOrder)) {
    if (over <= 0) return cuts
    const tokens = shorten(piece, piece.weight - over)
    cuts.push({ section: piece.section.name, tokens, dropped: piece.text === '' })
    over -= piece.weight - piece.left
  }
  if (over <= 0) return cuts
  const names = pieces.flatMap(({ section, left }) => (left > 0 ? [`"${section.name}"`] : []))
  throw new LoopError(
    'bad-request',
    `The required sections of the prompt (${names.join(', ')}) are about ${tokensOf(over)} tokens ` +
      `over the limit of ${tokensMax}. Shorten them, or raise the limit.`,
  )
}

/** W3. */
function byCutOrder(a: Piece, b: Piece): number {
  return (
    a.section.priority - b.section.priority ||
    Number(isStable(a.section)) - Number(isStable(b.section)) ||
    b.index - a.index
  )
}

/** Shortens a piece to at most `room`, or to nothing. Returns the number of tokens removed. */
function shorten(piece: Piece, room: number): number {
  const { section, weight } = piece
  const seam = weigh(separator)
  // The number in the mark is not known yet; this one has at least as many digits.
  const forMark = weigh(cutMark(section.name, tokensOf(weight))) + seam
  const forText = room - forMark - seam
  const worthIt = forText >= weightOf(restTokensMin)
  const { text, used } = worthIt ? part(section.text, forText, section.keep) : nothing
  if (text === '') {
    piece.text = ''
    piece.left = 0
    return tokensOf(weight)
  }
  const gone = tokensOf(weight - seam - used)
  const mark = cutMark(section.name, gone)
  piece.text = section.keep === 'end' ? `${mark}\n${text}` : `${text}\n${mark}`
  piece.left = used + forMark + seam
  return gone
}

interface Part {
  readonly text: string
  readonly used: number
}

const nothing: Part = { text: '', used: 0 }

const cutMark = (name: string, tokens: number): string =>
  `[... about ${tokens} tokens of "${name}" were cut here ...]`

/** As many whole lines from one end as fit; a very long line is split. */
function part(text: string, room: number, keep: Section['keep']): Part {
  let begin = 0
  let end = text.length
  let used = 0
  // The part grows from one end toward the other.
  if (keep === 'end') begin = end
  else end = 0
  while (end - begin < text.length) {
    const next = keep === 'end' ? lineBegin(text, begin) : lineEnd(text, end)
    const [from, to] = keep === 'end' ? [next, begin] : [end, next]
    const seam = isInsideLine(text, next) ? seamWeight : 0
    const more = weigh(text, from, to) + seam
    if (used + more > room) break
    used += more
    if (keep === 'end') begin = next
    else end = next
  }
  const kept = text.slice(begin, end).trimEnd()
  return { text: kept, used }
}

/** The end of the line that starts here; of a very long line, a position inside it. */
function lineEnd(text: string, begin: number): number {
  const far = Math.min(text.length, begin + lineCharsMax)
  const line = text.slice(begin, far).indexOf('\n')
  if (line >= 0) return begin + line + 1
  return isInsidePair(text, far) ? far - 1 : far
}

/** The start of the line that ends here; of a very long line, a position inside it. */
function lineBegin(text: string, end: number): number {
  const far = Math.max(0, end - lineCharsMax)
  const line = text.slice(far, end - 1).lastIndexOf('\n')
  if (line >= 0) return far + line + 1
  return isInsidePair(text, far) ? far + 1 : far
}

const isInsideLine = (text: string, index: number): boolean =>
  index > 0 && index < text.length && text[index - 1] !== '\n'

function isInsidePair(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  const before = text.charCodeAt(index - 1)
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff
}
