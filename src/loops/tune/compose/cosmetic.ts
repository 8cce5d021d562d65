/**
 * Whether an edit only rephrases: whitespace, punctuation, order of filler words, or words that mean the same. Such an edit has no
 * mechanism. In texts that are not prose, such as rules and configuration, punctuation and words are the mechanism, so there
 * only blank lines and the ends of lines do not count. Pure.
 */

/** Words that mean the same in an instruction, each as the first of its group. */
const synonyms: readonly (readonly string[])[] = [
  ['must', 'should', 'shall', 'need', 'needs', 'have', 'has', 'required'],
  ['extract', 'get', 'retrieve', 'obtain', 'pull', 'find', 'identify', 'locate', 'return'],
  ['ensure', 'sure', 'verify', 'check', 'confirm', 'guarantee'],
  ['correct', 'correctly', 'accurate', 'accurately', 'properly', 'precise', 'precisely', 'right'],
  ['write', 'output', 'produce', 'print', 'give', 'provide', 'generate', 'emit'],
  ['use', 'utilize', 'employ', 'apply'],
  ['avoid', 'never', 'not', 'dont', 'no'],
  ['all', 'every', 'each', 'any'],
  ['exact', 'exactly', 'strict', 'strictly'],
  ['answer', 'response', 'reply', 'result'],
  ['important', 'critical', 'crucial', 'essential', 'key'],
  ['only', 'just', 'solely', 'merely'],
  ['short', 'brief', 'concise', 'succinct'],
  ['text', 'document', 'input', 'content'],
]

/** They carry no rule. */
const fillers: ReadonlySet<string> = new Set(
  (
    'a an the please very really quite carefully always kindly make to be is are of that it you your do does ' +
    'and also then so as well thoroughly simply'
  ).split(' '),
)

const groupOf = new Map(synonyms.flatMap((group) => group.map((word) => [word, group[0] ?? word])))

export function isCosmetic(current: string, proposed: string): boolean {
  if (bare(current) === bare(proposed)) return true
  if (!isProse(current) || !isProse(proposed)) return false
  return meaningOf(current) === meaningOf(proposed)
}

/** Without blank lines and the ends of lines. */
const bare = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')

/** Mostly words with spaces between them. */
export function isProse(text: string): boolean {
  const words = text.match(/\p{L}+/gu) ?? []
  const plain = text.match(/[\p{L}\p{N}\s.,;:!?'"()-]/gu) ?? []
  return words.length >= 4 && plain.length >= 0.95 * text.length && /\p{L}[,.;:]? \p{L}/u.test(text)
}

/** The words that carry a rule, in their order: to move one is a change. */
const meaningOf = (text: string): string =>
  (
    text
      .toLowerCase()
      .replaceAll(/['’]/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter((word) => !fillers.has(word))
    .map((word) => groupOf.get(word) ?? word)
    .join(' ')
