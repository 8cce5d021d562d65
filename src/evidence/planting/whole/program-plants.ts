/** What can be planted in programs, and the part that all languages share. */

import type { ChangedFile, Edit, SourceTest } from '../test-source.ts'

/** `restated`: the expectations are restated in the language itself; then the program must still pass. */
export type ProgramPlant = 'after' | 'value' | 'start' | 'restated'

export interface ProgramPlantRequest {
  readonly file: string
  readonly text: string
  readonly kind: ProgramPlant
  readonly marker: string
  /** For `restated`: the changed files of the work. */
  readonly work?: readonly ChangedFile[]
}

/**
 * In the last test that runs; undefined: there is none. Not in all of them: if the first failure ends the program, an
 * earlier one would hide that a later one is not noticed.
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
