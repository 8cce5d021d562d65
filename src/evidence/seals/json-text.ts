/** Parses JSON of configuration files, with the comments and trailing commas that some tools allow. */

import type { Json } from '../../loop/index.ts'

const depthMax = 100

export type JsonObject = { readonly [key: string]: Json }

/** Undefined: it is not an object, or does not parse. */
export function parseJsonObject(text: string, comments: boolean): JsonObject | undefined {
  const plain = text.replace(/^\uFEFF/, '')
  if (isDeep(plain)) return undefined
  try {
    const value: unknown = JSON.parse(comments ? withoutComments(plain) : plain)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Comparing and writing recurse as deeply as the value. */
function isDeep(text: string): boolean {
  let depth = 0
  for (const [mark] of text.matchAll(/[[\]{}]/g)) {
    depth += mark === '[' || mark === '{' ? 1 : -1
    if (depth > depthMax) return true
  }
  return false
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One pass over the text: keeps strings, and drops comments and a comma before a closing bracket. */
function withoutComments(text: string): string {
  let kept = ''
  let at = 0
  let from = 0
  const drop = (until: number): void => {
    kept += text.slice(from, at)
    at = until
    from = until
  }
  while (at < text.length) {
    const two = text.slice(at, at + 2)
    if (text[at] === '"') at = endOfString(text, at)
    else if (two === '//') drop(findEnd(text, '\n', at))
    else if (two === '/*') drop(Math.min(text.length, findEnd(text, '*/', at + 2) + 2))
    else at += 1
  }
  kept += text.slice(from)
  return withoutTrailingCommas(kept)
}

function withoutTrailingCommas(text: string): string {
  let kept = ''
  let from = 0
  let at = 0
  while (at < text.length) {
    if (text[at] === '"') at = endOfString(text, at)
    else if (text[at] === ',') {
      let next = at + 1
      while (/\s/.test(text[next] ?? 'x')) next += 1
      if (text[next] === '}' || text[next] === ']') {
        kept += text.slice(from, at)
        from = at + 1
      }
      at = next
    } else at += 1
  }
  return kept + text.slice(from)
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

const findEnd = (text: string, mark: string, from: number): number => {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found
}

/** Own keys only: `__proto__` in a file is a key like any other. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let current: Json | undefined = value
  for (const part of path) {
    if (!isObject(current) || !Object.hasOwn(current, part)) return undefined
    current = current[part]
  }
  return current
}

/** Whether the values are equal, in any order of their keys. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : canonical(a) === canonical(b)
}

const canonical = (value: Json): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
