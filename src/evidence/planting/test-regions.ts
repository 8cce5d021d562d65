/** Where the tests of a file are: what must not change in a file that holds product code and tests. */

import { readSourceOf } from './languages.ts'
import type { ReadSource, Region } from './test-source.ts'

/** Undefined: the language is not known here, or the text cannot be parsed. */
export async function testRegions(
  file: string,
  text: string,
  read: ReadSource | undefined = readSourceOf(file),
): Promise<readonly Region[] | undefined> {
  return (await read?.(file, text))?.regions
}
