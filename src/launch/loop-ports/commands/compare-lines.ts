/** How an output differs from the expected one, in lines: a hint for who reads a critique, and no score. Pure. */

import type { Difference } from '../../../loop/step/command-task.ts'

/** By the number of equal lines, in any order: quick for any content. */
export function compareLines(expected: string, output: string): Difference {
  const counts = new Map<string, number>()
  const [wanted = [], made = []] = [expected, output].map((text) =>
    text.replace(/\n$/, '').split('\n'),
  )
  for (const line of wanted) counts.set(line, (counts.get(line) ?? 0) + 1)
  let same = 0
  for (const line of made) {
    const left = counts.get(line) ?? 0
    if (left === 0) continue
    counts.set(line, left - 1)
    same++
  }
  return { missing: wanted.length - same, added: made.length - same, expected: wanted.length }
}
