/** Plants a failure at the end of `main` in a Go or Rust program. */

import { findLanguageFamily } from '../../mask-code.ts'
import { readStatements } from '../braces/functions.ts'
import { scan } from '../plain/scan.ts'
import { type Edit, insert } from '../test-source.ts'
import type { ProgramPlantRequest } from './program-plants.ts'

const mains = {
  go: /\bfunc\s+main\s*\(\s*\)\s*\{/,
  rust: /\bfn\s+main\s*\(\s*\)[^{;]*\{/,
} as const

export function plantInBraces({
  file,
  text,
  kind,
  marker,
}: ProgramPlantRequest): readonly Edit[] | undefined {
  const language = findLanguageFamily(file) === 'go' ? 'go' : 'rust'
  const scanned = kind === 'after' ? scan(text, language) : undefined
  const found = scanned === undefined ? null : mains[language].exec(scanned.mask)
  if (scanned === undefined || found === null) return undefined
  const open = found.index + found[0].length - 1
  const close = scanned.closing.get(open)
  if (close === undefined) return undefined
  const quoted = JSON.stringify(marker)
  const fails = language === 'go' ? `panic(${quoted})` : `panic!(${quoted});`
  const last = readStatements(scanned, { open, close }).at(-1)
  const code = last === undefined ? '' : scanned.mask.slice(last.start, last.end)
  // The last expression of a Rust function is its result.
  const isLast = /\b(?:os\.Exit|exit|return)\b/.test(code) || found[0].includes('->')
  if (last !== undefined && isLast) return [insert(last.start, `${fails}\n`)]
  return [insert(last?.end ?? open + 1, `;\n${fails}\n`)]
}
