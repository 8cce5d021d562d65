/**
 * What the work itself defines about comparisons in Go and Rust: implementations of `PartialEq`, macros, and
 * predeclared names that tests use to compare. Code that existed before does not count.
 */

import { type Line, readLines, type Scan, scan } from '../plain/scan.ts'
import type { ChangedFile } from '../test-source.ts'

/** Whether definitions in the work may decide a comparison in a test. */
export const decidesComparisons = (work: readonly ChangedFile[]): boolean =>
  definesTrait(work, 'PartialEq') || definesMacros(work) || predeclaredIn(work).size > 0

interface Scanned extends ChangedFile {
  readonly scanned: Scan
}

function scanAll(work: readonly ChangedFile[], language: 'go' | 'rust'): readonly Scanned[] {
  const ending = language === 'go' ? '.go' : '.rs'
  return work.flatMap((file) => {
    const scanned = file.path.endsWith(ending) ? scan(file.text, language) : undefined
    return scanned === undefined ? [] : [{ ...file, scanned }]
  })
}

function isChanged({ text, lines }: ChangedFile, start: number, end: number): boolean {
  let line = text.slice(0, start).split('\n').length
  for (const _ of text.slice(start, end).split('\n')) {
    if (lines.has(line)) return true
    line += 1
  }
  return false
}

/** By hand, in a macro or in an attribute. `derive` is harmless: it compares and prints field by field. */
export const definesTrait = (work: readonly ChangedFile[], trait: 'PartialEq' | 'Debug'): boolean =>
  scanAll(work, 'rust').some((file) => {
    const { mask } = file.scanned
    const named = new RegExp(`(?:\\w+\\s?::\\s?){0,3}\\b${trait}\\b`, 'g')
    return [...mask.matchAll(named)].some((found) => {
      const at = found.index
      const end = at + found[0].length
      if (!isDefinition(mask.slice(Math.max(0, at - 400), at), mask.slice(end, end + 400)))
        return false
      const open = mask.indexOf('{', end)
      const close = open < 0 ? undefined : file.scanned.closing.get(open)
      const isBlock = close !== undefined && !mask.slice(end, open).includes(';')
      return isChanged(file, at, isBlock ? close : end)
    })
  })

/** A bound, a path, an import or a derived implementation defines nothing. */
function isDefinition(before: string, after: string): boolean {
  const line = before.slice(before.search(/[^;{}]*$/))
  if (/\bderive\s*\([^)]*$/.test(line) || /^\s*::/.test(after)) return false
  if (/^\s*(?:pub\s+)?use\b/.test(line)) return /^\s*as\b/.test(after)
  if (/\bimpl\s*$/.test(line)) return /^\s*(?:<[^{};]*>)?\s*for\b/.test(after)
  return !/(?:[:+]|\bas|\bdyn)\s*$/.test(line)
}

const macros =
  /\bmacro_rules!\s*(?:assert|panic|matches|vec|format)\b|\b(?:debug_)?assert_(?:eq|ne)\b(?!\s*!)|\bextern\s+crate\s+\w+\s+as\b|\bas\s+(?:assert|matches|panic)\b/g

const definesMacros = (work: readonly ChangedFile[]): boolean =>
  scanAll(work, 'rust').some((file) =>
    [...file.scanned.mask.matchAll(macros)].some(({ index, 0: { length } }) =>
      isChanged(file, index, index + length),
    ),
  )

/** Without `min`, `max`, `clear` and `any`, which many packages defined before Go had them. */
const predeclared = new Set(
  `append bool byte cap close complex complex128 complex64 copy delete error false float32 float64 imag int
   int16 int32 int64 int8 iota len make new nil panic print println real recover rune string true uint uint16
   uint32 uint64 uint8 uintptr`.split(/\s+/),
)

/** Predeclared names of Go that the work declares for a whole package. */
export function predeclaredIn(work: readonly ChangedFile[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const file of scanAll(work, 'go')) {
    const { scanned } = file
    for (const line of readLines(scanned, 0, scanned.text.length))
      for (const name of declaredIn(scanned, line))
        if (predeclared.has(name) && isChanged(file, line.start, line.end)) found.add(name)
  }
  return found
}

function declaredIn({ mask }: Scan, { start, end }: Line): readonly string[] {
  const code = mask.slice(start, end)
  const [, word, group, rest = ''] = /^(func|var|const|type)\s*(\()?\s*([\s\S]*)$/.exec(code) ?? []
  if (word === undefined || (word === 'func' && group !== undefined)) return []
  const each = group === undefined ? [rest] : rest.split('\n')
  return each.flatMap((one) =>
    (/^\s*\w+(?:\s*,\s*\w+)*/.exec(one)?.[0] ?? '').split(',').map((name) => name.trim()),
  )
}

/** Whether the work adds or changes a Go function or method with this name. */
export function definesFunction(work: readonly ChangedFile[], name: string): boolean {
  const head = new RegExp(`\\bfunc\\s*(?:\\([^()]*\\)\\s*)?${name}\\s*[[(]`, 'g')
  return scanAll(work, 'go').some((file) =>
    [...file.scanned.mask.matchAll(head)].some(({ index, 0: { length } }) => {
      const open = file.scanned.mask.indexOf('{', index + length)
      return isChanged(file, index, file.scanned.closing.get(open) ?? index + length)
    }),
  )
}
