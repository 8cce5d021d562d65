/**
 * Scans code without a parser: strings and comments are blanked, every other character stays in place, brackets are
 * paired, and continued lines are joined. Reads the text once, without backtracking.
 */

export type PlainLanguage = 'python' | 'go' | 'rust'

export interface Scan {
  readonly text: string
  /** As long as the text. Quotes stay; the content of strings and comments is blank. */
  readonly mask: string
  /** The closing bracket of each opening one. */
  readonly closing: ReadonlyMap<number, number>
}

export interface Line {
  readonly start: number
  /** The end of the code, without a comment. */
  readonly end: number
  /** Where the next line starts, or the text ends. */
  readonly next: number
}

const comment: Readonly<Record<PlainLanguage, string>> = { python: '#', go: '//', rust: '//' }
const pairs: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
])

/** Where the string that starts here ends; undefined: none starts here. */
function stringEnd(text: string, at: number, language: PlainLanguage): number | undefined {
  const sign = text[at] ?? ''
  if (language === 'rust' && sign === 'r' && !/\w/.test(text[at - 1]?.replace('b', '') ?? '')) {
    const hashes = /^r(#{0,20})"/.exec(text.slice(at, at + 24))?.[1]
    if (hashes === undefined) return undefined
    const close = text.indexOf(`"${hashes}`, at + hashes.length + 2)
    return close < 0 ? text.length : close + 1 + hashes.length
  }
  const quotes = language === 'python' ? `"'` : language === 'go' ? '"\'`' : `"'`
  if (!quotes.includes(sign) || sign === '') return undefined
  // A lifetime has no second quote.
  if (language === 'rust' && sign === "'" && !/^'(?:\\|[^\\]{1,2}')/.test(text.slice(at, at + 4)))
    return undefined
  const triple = language === 'python' && text.startsWith(sign.repeat(3), at)
  const close = triple ? sign.repeat(3) : sign
  const raw = language === 'go' && sign === '`'
  const lines = triple || raw || language === 'rust'
  for (let index = at + close.length; index < text.length; index += 1) {
    if (text[index] === '\\' && !raw) index += 1
    else if (text[index] === '\n' && !lines) return index
    else if (text.startsWith(close, index)) return index + close.length
  }
  return text.length
}

function commentEnd(text: string, at: number, language: PlainLanguage): number | undefined {
  if (text.startsWith(comment[language], at)) {
    const end = text.indexOf('\n', at)
    return end < 0 ? text.length : end
  }
  if (language === 'python' || !text.startsWith('/*', at)) return undefined
  const end = text.indexOf('*/', at + 2)
  return end < 0 ? text.length : end + 2
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** Undefined: its brackets do not match. */
export function scan(text: string, language: PlainLanguage): Scan | undefined {
  const mask: string[] = []
  const closing = new Map<number, number>()
  const open: number[] = []
  let at = 0
  while (at < text.length) {
    const hidden = commentEnd(text, at, language)
    const string = hidden === undefined ? stringEnd(text, at, language) : undefined
    const end = hidden ?? string ?? at + 1
    const part = text.slice(at, end)
    if (hidden !== undefined) mask.push(blank(part))
    // Without line breaks: the lines of a string belong together.
    else if (string !== undefined && part.length > 1) mask.push(`"${' '.repeat(part.length - 2)}"`)
    else mask.push(part)
    if (string === undefined && hidden === undefined) {
      if ('([{'.includes(part)) open.push(at)
      const opening = pairs.get(part)
      if (opening !== undefined) {
        const from = open.pop()
        if (from === undefined || text[from] !== opening) return undefined
        closing.set(from, at)
      }
    }
    at = end
  }
  return open.length > 0 ? undefined : { text, mask: mask.join(''), closing }
}

/** Lines with code, joined within brackets and strings and after `\`. */
export function readLines({ mask, closing }: Scan, from: number, to: number): readonly Line[] {
  const lines: Line[] = []
  let start = from
  for (let at = from; at <= to; at += 1) {
    const close = closing.get(at)
    if (close !== undefined && close < to) {
      at = close
      continue
    }
    if (at < to && (mask[at] !== '\n' || mask[at - 1] === '\\')) continue
    const code = mask.slice(start, at)
    const trimmed = code.trim()
    if (trimmed !== '') {
      const first = start + code.indexOf(trimmed)
      lines.push({ start: first, end: first + trimmed.length, next: Math.min(at + 1, to) })
    }
    start = at + 1
  }
  return lines
}

/** The parts between two offsets, separated by commas outside of brackets. */
export function splitArguments(scanned: Scan, from: number, to: number): readonly Line[] {
  const parts: Line[] = []
  let start = from
  for (let at = from; at <= to; at += 1) {
    const close = scanned.closing.get(at)
    if (close !== undefined && close < to) at = close
    else if (at === to || scanned.mask[at] === ',') {
      const code = scanned.mask.slice(start, at)
      const trimmed = code.trim()
      const first = start + code.indexOf(trimmed)
      if (trimmed !== '') parts.push({ start: first, end: first + trimmed.length, next: at })
      start = at + 1
    }
  }
  return parts
}

/** The last match of a global pattern outside of brackets. */
export function findOutside(
  { mask, closing }: Scan,
  { start, end }: { readonly start: number; readonly end: number },
  pattern: RegExp,
): { readonly at: number; readonly found: string } | undefined {
  let outside = ''
  for (let at = start; at < end; at += 1) {
    const close = closing.get(at)
    outside += mask[at] ?? ''
    if (close === undefined || close >= end) continue
    outside += ' '.repeat(close - at)
    at = close
  }
  const match = [...outside.matchAll(pattern)].at(-1)
  return match === undefined ? undefined : { at: start + match.index, found: match[0] }
}
