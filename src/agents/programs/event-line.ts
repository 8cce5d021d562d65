/**
 * Parses one output line as an object, and reads values in it. All of these are total: whatever a
 * line contains, missing values are undefined.
 */

export type EventObject = { readonly [key: string]: unknown }

/** Deeper ones cost far more memory than their text, and no useful event is that deep. */
const depthMax = 100

/** Undefined if the line is not a JSON object: programs also print other things. */
export function readEvent(line: string): EventObject | undefined {
  const text = line.trim()
  if (!text.startsWith('{') || !isShallow(text)) return undefined
  try {
    return toObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

export const toObject = (value: unknown): EventObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as EventObject)
    : undefined

/** The value at a path of names. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    const object = toObject(inner)
    return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined
  }, value)
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : undefined
}

/** A non-negative integer. */
export function countAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path)
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined
}

/** Empty if the value is not a list. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A value as a short text, for people. */
export function toShortText(value: unknown, charsMax = 500): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.slice(0, charsMax)
}

function isShallow(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === backslash) index++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === openBrace || code === openBracket) {
      if (++depth > depthMax) return false
    } else if (code === closeBrace || code === closeBracket) depth--
  }
  return true
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d,
]
