/** Finds the tests in a file: what must not change in a file with both product code and tests. */

import { findReader } from './languages.ts'
import type { ReadSource, Region } from './test-source.ts'

/** Undefined: the language is unknown, or the text cannot be parsed. */
export async function testRegions(
  file: string,
  text: string,
  read: ReadSource | undefined = findReader(file),
): Promise<readonly Region[] | undefined> {
  return (await read?.(file, text))?.regions
}
