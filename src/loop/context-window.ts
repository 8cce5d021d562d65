/**
 * What a prompt is made of, within a limit: named sections, put together so that providers' caches
 * hit, and cut in an order that is known beforehand.
 *
 * W1. The text is never over the limit by the estimate.
 * W2. Stable sections come first, in the order given; then the others, in the order given.
 * W3. What does not fit is cut in this order: the lowest priority first; among equals the unstable
 *     before the stable, and the later before the earlier. Required sections are never cut.
 * W4. Whatever was cut is in the result, and shows in the text where a section was shortened.
 * W5. No character is cut in half.
 */

import { LoopError } from './errors.ts'
import { tokensOf, weigh, weightOf } from './token-estimate.ts'

export interface Section {
  readonly name: string
  readonly text: string
  /** The lower, the sooner it is cut. */
  readonly priority: number
  /** The same in each iteration: it comes first, where a provider's cache can keep it. */
  readonly stable?: boolean
  /** Which part is kept when it is shortened; the start unless told. */
  readonly keep?: 'start' | 'end'
  /** Whole, or not at all: if it does not fit that is an error. */
  readonly required?: boolean
}

/** What became of one section, in the order of the text. Tokens are estimates. */
export interface SectionSize {
  readonly name: string
  readonly tokens: number
}

export interface Cut {
  readonly section: string
  /** How much is gone. */
  readonly tokens: number
  /** Nothing of it is left. */
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
  readonly place: number
  readonly weight: number
  text: string
  left: number
}

const between = '\n\n'
/** A shorter rest says too little to be worth its place. */
const restTokensMin = 40
/** Lines longer than this may be cut inside. */
const lineCharsMax = 400
/** What a cut inside a line can add to the sum of the weights of its sides. */
const seamWeight = 80

export function assembleContext(
  sections: readonly Section[],
  options: { readonly tokensMax: number },
): Assembled {
  const { tokensMax } = options
  if (!Number.isSafeInteger(tokensMax) || tokensMax < 1) {
    const message = `A prompt cannot be limited to ${tokensMax} tokens; give a whole number over 0.`
    throw new LoopError('bad-request', message)
  }
  const seam = weigh(between)
  const ordered = [...sections.filter(isStable), ...sections.filter((one) => !isStable(one))]
  const pieces = ordered
    .filter(({ text }) => text.trim() !== '')
    .map((section, place): Piece => {
      const weight = weigh(section.text) + seam
      return { section, place, weight, text: section.text, left: weight }
    })
  const cuts = cutToFit(pieces, weightOf(tokensMax), tokensMax)
  const kept = pieces.filter(({ text }) => text !== '')
  return {
    text: kept.map(({ text }) => text).join(between),
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
    b.place - a.place
  )
}

/** Leaves at most `room` of a piece, or nothing of it. Tells the tokens that are gone. */
function shorten(piece: Piece, room: number): number {
  const { section, weight } = piece
  const seam = weigh(between)
  // The number in the mark is not known yet; this one is at least as long.
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

/** As many whole lines from one end as fit; of a very long line, a part. */
function part(text: string, room: number, keep: Section['keep']): Part {
  let begin = 0
  let end = text.length
  let used = 0
  // From here on the part grows from one end to the other.
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

/** The end of the line that begins here, or a place in it. */
function lineEnd(text: string, begin: number): number {
  const far = Math.min(text.length, begin + lineCharsMax)
  const line = text.slice(begin, far).indexOf('\n')
  if (line >= 0) return begin + line + 1
  return isInsidePair(text, far) ? far - 1 : far
}

/** The beginning of the line that ends here, or a place in it. */
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
