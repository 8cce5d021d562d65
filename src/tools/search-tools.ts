/**
 * Finds tools by words: those that contain every word, best match first. For people, and for agents
 * with many tools.
 */

import type { ToolDescription } from '../loop/index.ts'

const wordsMax = 20

/** Without words, all tools in their order. Case is ignored. */
export function searchTools<T extends Pick<ToolDescription, 'name' | 'description'>>(
  tools: readonly T[],
  query: string,
): readonly T[] {
  const words = splitWords(query).slice(0, wordsMax)
  const ranked = tools.map((tool) => ({ tool, score: rate(tool, words) }))
  // Sorting is stable: equal ones keep their order.
  return ranked
    .filter(({ score }) => score !== undefined)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ tool }) => tool)
}

/** Undefined if a word does not occur. */
function rate(
  { description, name }: Pick<ToolDescription, 'name' | 'description'>,
  words: readonly string[],
): number | undefined {
  const nameText = name.toLowerCase()
  const nameWords = splitWords(name)
  const descriptionText = description.toLowerCase()
  let score = 0
  for (const word of words) {
    if (nameText === word) score += 16
    else if (nameWords.includes(word)) score += 8
    else if (nameText.includes(word)) score += 4
    else if (splitWords(descriptionText).includes(word)) score += 2
    else if (descriptionText.includes(word)) score += 1
    else return undefined
  }
  return score
}

/** `files__read_file` has the words files, read and file. */
const splitWords = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
