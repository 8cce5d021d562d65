/**
 * Makes foreign text safe to show to people and models: limits its length and removes invisible
 * content. Escape sequences change a terminal; invisible characters can carry instructions that
 * people do not see.
 */

const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu

export function plainText(text: string, charsMax: number): string {
  // Shortened first: cleaning takes time for each character.
  const cut = text
    .slice(0, 2 * charsMax)
    .replaceAll(hidden, '')
    .trim()
  if (cut.length <= charsMax && text.length <= 2 * charsMax) return cut
  return `${cut.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Foreign messages often lack a full stop. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)
