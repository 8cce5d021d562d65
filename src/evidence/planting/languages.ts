/** Finds the reader for the tests of a file. */

import { findLanguageFamily } from '../mask-code.ts'
import { readGo, readRust } from './braces/read-braces.ts'
import { readPython } from './python/read-python.ts'
import { readScript } from './script/read-script.ts'
import type { ReadSource } from './test-source.ts'

const readers: Readonly<Record<string, ReadSource>> = {
  script: readScript,
  python: readPython,
  go: readGo,
  rust: readRust,
}

/** Undefined: unknown language. */
export function findReader(file: string): ReadSource | undefined {
  return readers[findLanguageFamily(file) ?? '']
}
