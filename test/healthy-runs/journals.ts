/** The journals of healthy runs, kept compressed: one line for each run. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { RecordedEvent } from '../../src/loop/index.ts'

export interface Journal {
  /** `scripted 12` or `repair 3`. */
  readonly name: string
  readonly events: readonly RecordedEvent[]
}

const file = join(import.meta.dirname, 'journals.jsonl.br')
const largestWindow = 24

export const readJournals = (): readonly Journal[] =>
  brotliDecompressSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .map((line) => JSON.parse(line) as Journal)

export function writeJournals(journals: readonly Journal[]): void {
  const text = journals.map((journal) => JSON.stringify(journal)).join('\n')
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: largestWindow,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  }
  writeFileSync(file, brotliCompressSync(text, { params }))
}
