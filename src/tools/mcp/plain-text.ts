/**
 * Text of others, as people and models may see it: no longer than its limit, and without what is in
 * a text but not seen. Escape sequences change a terminal; invisible characters carry instructions
 * that no person reads.
 */

const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu

export function plainText(text: string, charsMax: number): string {
  // Cut first: cleaning costs time for each character.
  const cut = text
    .slice(0, 2 * charsMax)
    .replaceAll(hidden, '')
    .trim()
  if (cut.length <= charsMax && text.length <= 2 * charsMax) return cut
  return `${cut.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** What others say seldom ends with a full stop. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)
