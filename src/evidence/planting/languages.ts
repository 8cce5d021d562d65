/** Which reader knows the tests of a file. */

import { familyOf } from '../mask-code.ts'
import { readScript } from './script/read-script.ts'
import type { ReadSource } from './test-source.ts'

/** Undefined: its language is not known here. */
export function readSourceOf(file: string): ReadSource | undefined {
  return familyOf(file) === 'script' ? readScript : undefined
}
