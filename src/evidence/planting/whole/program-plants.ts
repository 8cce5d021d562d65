/** What is planted in programs, and the part that all languages have in common. */

import { applyEdits, type Edit, type SourceTest } from '../test-source.ts'

export type ProgramPlant = 'after' | 'value' | 'start'

export interface ProgramPlantRequest {
  readonly file: string
  readonly text: string
  readonly kind: ProgramPlant
  readonly marker: string
}

/** In every test in which it can be; undefined: there are none. */
export function plantInTests(
  tests: readonly SourceTest[],
  text: string,
  kind: 'after' | 'value',
  marker: string,
): readonly Edit[] | undefined {
  const all = tests.flatMap((test) => {
    const edits = test.certain ? test.plant(kind, marker, []) : 'not a test'
    return typeof edits === 'string' ? [] : [edits]
  })
  const together = all.flat()
  // One test inside another: then only the last.
  return applyEdits(text, together) === undefined ? all.at(-1) : together
}
