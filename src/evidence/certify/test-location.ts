/** Finds where the function of a test is written: failures are planted there. */

import type { ObservedTest, TestLocation } from '../observe/observation.ts'

/**
 * In its own file, unless its runner reports that it is inherited. That is only a claim, so the inherited function must
 * have the same name and must not be in a file of the work, where code could expect the planted failure.
 */
export function findTestLocation(
  { file, titles, body }: Pick<ObservedTest, 'file' | 'titles' | 'body'>,
  work: readonly string[],
): TestLocation {
  const own = { file, titles }
  if (body === undefined || work.includes(body.file)) return own
  return bareName(body.titles) === bareName(titles) ? body : own
}

/** Without its parameters. */
const bareName = (titles: readonly string[]): string => titles.at(-1)?.split('[', 1)[0] ?? ''
