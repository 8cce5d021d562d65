/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers as ECMAScript
 * prints them. Two programs that read the same value get the same digest.
 */

import { NotJsonError } from '../loop/index.ts'

/** Slightly above the limit of `toJson`: a checkpoint file wraps a value in a few more objects. */
export const canonicalDepthMax = 210

const scalars: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'object'])

/** Throws `NotJsonError` with the path of a value that JSON cannot hold or that is nested too deeply. */
export function canonicalJson(value: unknown): string {
  try {
    return write(value, [])
  } catch (error) {
    if (error instanceof RangeError) throw new NotJsonError('$', 'the text would be too long')
    throw error
  }
}

/** Formats a path, for example `$.items[3].when`. */
export function formatJsonPath(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`
    const name = String(key)
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
  })
  return `$${parts.join('')}`
}

function write(value: unknown, path: PropertyKey[]): string {
  if (typeof value === 'object' && value !== null) {
    if (path.length > canonicalDepthMax) {
      // The whole path would be too long to read.
      const start = formatJsonPath(path.slice(0, 6))
      throw new NotJsonError(`${start}…`, `it is nested more than ${canonicalDepthMax} levels deep`)
    }
    return Array.isArray(value) ? writeArray(value, path) : writeObject(value, path)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new NotJsonError(formatJsonPath(path), 'the number is too large')
  }
  if (!scalars.has(typeof value)) {
    throw new NotJsonError(formatJsonPath(path), `it is a ${typeof value}`)
  }
  return JSON.stringify(value)
}

function writeArray(items: readonly unknown[], path: PropertyKey[]): string {
  const parts = items.map((item, index) => writeAt(index, item, path))
  return `[${parts.join(',')}]`
}

function writeObject(value: object, path: PropertyKey[]): string {
  const parts = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${writeAt(key, item, path)}`)
  return `{${parts.join(',')}}`
}

function writeAt(key: PropertyKey, item: unknown, path: PropertyKey[]): string {
  path.push(key)
  const text = write(item, path)
  path.pop()
  return text
}
