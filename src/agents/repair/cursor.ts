/**
 * Where a search stands, in the words of the report. Only progress crosses from one iteration to the next
 * (E3), and a report is part of it: the next prompt holds this line, and the search goes on there. It is
 * of use only for the same list of edits, which its digest tells. Without it the search starts anew.
 */

export const cursorText = (digest: string, next: number): string => `[repair ${digest} ${next}]`

/** The furthest that a prompt tells of. */
export function readCursor(prompt: string, digest: string): number {
  let next = 0
  for (const [, known, number] of prompt.matchAll(/\[repair ([0-9a-f]{12}) (\d{1,7})\]/g)) {
    if (known === digest) next = Math.max(next, Number(number))
  }
  return next
}
