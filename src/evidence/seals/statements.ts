/**
 * Parses the parts of TOML and INI that we need: headers and pairs, each with its key. Anything unsupported (a key with an
 * escape, a duplicate key, an unterminated string) makes the whole file unreadable, so that no key is missed.
 */

export interface Statement {
  readonly type: 'header' | 'pair'
  /** Without the indexes of repeated tables. */
  readonly path: readonly string[]
  /** Unique in the file; for a pair, the same wherever it is. */
  readonly id: string
  /** For a pair. */
  readonly value: string
}

const statementsMax = 20_000
const pathsSeparator = '\u0000'

export function parseStatements(
  text: string,
  format: 'toml' | 'ini',
): readonly Statement[] | undefined {
  const found = format === 'toml' ? parseToml(text) : parseIni(text)
  if (found === undefined) return undefined
  const ids = found.map(({ id }) => id)
  return new Set(ids).size === ids.length ? found : undefined
}

const toId = (path: readonly string[]): string => path.join(pathsSeparator)

interface Table {
  readonly path: readonly string[]
  readonly id: string
}

function parseToml(text: string): readonly Statement[] | undefined {
  const found: Statement[] = []
  const repeats = new Map<string, number>()
  let table: Table = { path: [], id: '' }
  let at = 0
  while (at < text.length) {
    if (found.length > statementsMax) return undefined
    at = skipSpace(text, at)
    if (isLineEnd(text, at)) {
      at = nextLine(text, at)
      continue
    }
    const isHeader = text[at] === '['
    const repeated = isHeader && text[at + 1] === '['
    const key = parseKey(text, at + (repeated ? 2 : isHeader ? 1 : 0))
    if (key === undefined) return undefined
    if (isHeader) {
      const close = repeated ? ']]' : ']'
      if (!text.startsWith(close, key.end)) return undefined
      at = skipSpace(text, key.end + close.length)
      if (!isLineEnd(text, at)) return undefined
      at = nextLine(text, at)
      const plain = toId(key.path)
      const count = repeats.get(plain) ?? 0
      if (repeated) repeats.set(plain, count + 1)
      table = { path: key.path, id: repeated ? `${plain}#${count}` : plain }
      found.push(header(table))
    } else {
      if (text[key.end] !== '=') return undefined
      const end = endOfValue(text, key.end + 1)
      if (end === undefined) return undefined
      at = nextLine(text, end)
      const value = text.slice(key.end + 1, end).trim()
      found.push(pair(table, key.path, value))
    }
  }
  return found
}

const header = ({ path, id }: Table): Statement => ({
  type: 'header',
  path,
  id: `[${id}]`,
  value: '',
})

const pair = (table: Table, key: readonly string[], value: string): Statement => ({
  type: 'pair',
  path: [...table.path, ...key],
  id: toId(table.id === '' ? key : [table.id, ...key]),
  value,
})

/** Bare or quoted parts separated by dots. Escapes are not supported. */
function parseKey(
  text: string,
  start: number,
): { readonly path: readonly string[]; readonly end: number } | undefined {
  const path: string[] = []
  let at = skipSpace(text, start)
  for (;;) {
    const part = /(?:[A-Za-z0-9_-]+|"[^"\\\n]*"|'[^'\n]*')/y
    part.lastIndex = at
    const found = part.exec(text)?.[0]
    if (found === undefined) return undefined
    path.push(/^["']/.test(found) ? found.slice(1, -1) : found)
    at = skipSpace(text, at + found.length)
    if (text[at] !== '.') return { path, end: at }
    at = skipSpace(text, at + 1)
  }
}

/** The end of the line on which all brackets are closed, without a comment. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0
  let at = start
  while (at < text.length) {
    const char = text[at]
    if (char === '"' || char === "'") {
      const end = endOfQuoted(text, at, char)
      if (end === undefined) return undefined
      at = end
    } else if (char === '#') {
      if (depth === 0) return at
      at = lineEnd(text, at)
    } else if (char === '\n' && depth === 0) return at
    else {
      if (char === '[' || char === '{') depth += 1
      if (char === ']' || char === '}') depth -= 1
      at += 1
    }
  }
  return depth === 0 ? at : undefined
}

function endOfQuoted(text: string, start: number, quote: '"' | "'"): number | undefined {
  const long = quote.repeat(3)
  const isLong = text.startsWith(long, start)
  let at = start + (isLong ? 3 : 1)
  while (at < text.length) {
    if (quote === '"' && text[at] === '\\') at += 2
    else if (isLong && text.startsWith(long, at)) {
      at += 3
      // Up to two more quotes belong to the text.
      while (text[at] === quote) at += 1
      return at
    } else if (!isLong && text[at] === quote) return at + 1
    else if (!isLong && text[at] === '\n') return undefined
    else at += 1
  }
  return undefined
}

function parseIni(text: string): readonly Statement[] | undefined {
  const found: Statement[] = []
  let table: Table = { path: [], id: '' }
  for (const line of text.split(/(?<=\n)/)) {
    if (found.length > statementsMax) return undefined
    const last = found.at(-1)
    const section = /^\[([^\]\n]+)\]/.exec(line)?.[1]
    const name = /^([^\s=:#;[][^=:\n]*)[=:]?/.exec(line)?.[1]?.trim().toLowerCase()
    if (section !== undefined) {
      table = { path: [section], id: section }
      found.push(header(table))
    } else if (/^\s+[^\s#;]/.test(line) && last?.type === 'pair') {
      // An indented line continues the value above it.
      found[found.length - 1] = { ...last, value: `${last.value} ${line.trim()}` }
    } else if (/^\s*(?:[#;].*)?$/.test(line.trimEnd())) continue
    else if (name !== undefined) {
      const value = line.slice(line.search(/[=:]|$/) + 1).trim()
      found.push(pair(table, [name], value))
    } else return undefined
  }
  return found
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r') at += 1
  return at
}

const isLineEnd = (text: string, at: number): boolean =>
  at >= text.length || text[at] === '\n' || text[at] === '#'

const lineEnd = (text: string, at: number): number => {
  const found = text.indexOf('\n', at)
  return found < 0 ? text.length : found
}

const nextLine = (text: string, at: number): number => Math.min(text.length, lineEnd(text, at) + 1)
