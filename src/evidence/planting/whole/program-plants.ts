/** What is planted in programs, and the part that all languages have in common. */

import type { Edit, SourceTest } from '../test-source.ts'

export type ProgramPlant = 'after' | 'value' | 'start'

export interface ProgramPlantRequest {
  readonly file: string
  readonly text: string
  readonly kind: ProgramPlant
  readonly marker: string
}

/**
 * In the last test that runs; undefined: there is none. Not in all of them: where the first failure ends the program,
 * an earlier one would hide that a later one cannot be noticed.
 */
export function plantInTests(
  tests: readonly SourceTest[],
  text: string,
  kind: 'after' | 'value',
  marker: string,
): readonly Edit[] | undefined {
  for (const test of tests.toSorted((a, b) => b.start - a.start)) {
    if (!test.certain || isSkipped.test(text.slice(test.start, test.end))) continue
    const edits = test.plant(kind, marker, [])
    if (typeof edits !== 'string') return edits
  }
  return undefined
}

const isSkipped = /^(?:x(?:it|test|specify)\b|\w+(?:\.\w+)*\.(?:skip|todo)\b|@(?:\w+\.)*skip)/
