/** What is planted in programs, and the part that all languages have in common. */

import type { ChangedFile, Edit, SourceTest } from '../test-source.ts'

/** `restated`: what is expected is stated once more in the language itself; then it must pass as before. */
export type ProgramPlant = 'after' | 'value' | 'start' | 'restated'

export interface ProgramPlantRequest {
  readonly file: string
  readonly text: string
  readonly kind: ProgramPlant
  readonly marker: string
  /** For `restated`: files of the work, as far as they were changed. */
  readonly work?: readonly ChangedFile[]
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
