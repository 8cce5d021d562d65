/**
 * Finds the words of a case in a proposed text: an artifact that contains the answers of its cases proves nothing. A text that most
 * cases share, such as a heading, is not a case's own. Pure.
 */

export interface CaseText {
  readonly id: string
  /** Its input and its expected output. */
  readonly texts: readonly string[]
}

/** So many words in a row are no coincidence. */
const wordsInRow = 6
/** A whole line of a case that is shorter than that many words still counts if it is as long as this. */
const lineCharsMin = 16
/** What more than this share of the cases has in common belongs to the kind of text, not to a case. */
const commonShare = 0.5

/** Ids of cases whose own words are in `proposed` and neither in `current` nor in any other known text. */
export function findPasted(
  proposed: string,
  known: readonly string[],
  cases: readonly CaseText[],
): readonly string[] {
  const offered = signsOf(proposed)
  for (const sign of known.flatMap((text) => [...signsOf(text)])) offered.delete(sign)
  if (offered.size === 0) return []
  const found = cases.map(({ id, texts }) => {
    const own = new Set(texts.flatMap((text) => [...signsOf(text)]))
    return { id, signs: [...own].filter((sign) => offered.has(sign)) }
  })
  const counts = new Map<string, number>()
  for (const { signs } of found) {
    for (const sign of signs) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  }
  const most = Math.max(1, commonShare * cases.length)
  return found
    .filter(({ signs }) => signs.some((sign) => (counts.get(sign) ?? 0) <= most))
    .map(({ id }) => id)
}

/** Rows of words, and whole lines. */
function signsOf(text: string): Set<string> {
  const words = wordsOf(text)
  const signs = new Set<string>()
  for (let at = 0; at + wordsInRow <= words.length; at++) {
    signs.add(words.slice(at, at + wordsInRow).join(' '))
  }
  for (const line of text.split('\n')) {
    const inLine = wordsOf(line)
    const joined = inLine.join(' ')
    if (inLine.length >= 3 && joined.length >= lineCharsMin) signs.add(`line ${joined}`)
  }
  return signs
}

const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,-][\p{L}\p{N}]+)*/gu) ?? []
