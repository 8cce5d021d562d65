/** Which reader knows the tests of a file. */

import { familyOf } from '../mask-code.ts'
import { readPython } from './python/read-python.ts'
import { readScript } from './script/read-script.ts'
import type { ReadSource } from './test-source.ts'

const readers: Readonly<Record<string, ReadSource>> = { script: readScript, python: readPython }

/** Undefined: its language is not known here. */
export function readSourceOf(file: string): ReadSource | undefined {
  return readers[familyOf(file) ?? '']
}
