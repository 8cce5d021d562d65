/** Where the function of a test is written, which is where failures are planted. */

import type { ObservedTest, TestPlace } from '../observe/observation.ts'

/**
 * In its own file, unless its runner says that it is inherited. That is a claim, so it must have the same name, and
 * not be in a file of the work, where code could be waiting for the planted failure.
 */
export function placeOf(
  { file, titles, body }: Pick<ObservedTest, 'file' | 'titles' | 'body'>,
  work: readonly string[],
): TestPlace {
  const own = { file, titles }
  if (body === undefined || work.includes(body.file)) return own
  return nameIn(body.titles) === nameIn(titles) ? body : own
}

/** Without its parameters. */
const nameIn = (titles: readonly string[]): string => titles.at(-1)?.split('[', 1)[0] ?? ''
