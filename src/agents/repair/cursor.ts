/**
 * The position of a search, as a line in the report. Only progress crosses from one iteration to
 * the next (E3), and a report is part of it: the next prompt contains this line, and the search
 * continues there. It is valid only for the same list of edits, identified by its digest. Without
 * it the search starts over.
 */

export const cursorText = (digest: string, next: number): string => `[repair ${digest} ${next}]`

/** The furthest position in the prompt. */
export function readCursor(prompt: string, digest: string): number {
  let next = 0
  for (const [, known, number] of prompt.matchAll(/\[repair ([0-9a-f]{12}) (\d{1,7})\]/g)) {
    if (known === digest) next = Math.max(next, Number(number))
  }
  return next
}
