/**
 * Values that survive a trip through the journal.
 *
 * Whatever a step returns or a loop type calls progress passes through `toJson` once: the copy that
 * comes back is what a resumed run would read, it is frozen, and parts that were canonical already
 * are shared instead of copied. So live and replayed runs see the same values, and `===` on two
 * canonical values means that nothing changed in between.
 */

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** Thrown with the path of the field that cannot be stored, for example `$.items[3].when`. */
export class NotJsonError extends Error {
  readonly path: string
  constructor(path: string, what: string) {
    super(`${path} cannot be stored: ${what}`)
    this.name = 'NotJsonError'
    this.path = path
  }
}

const depthMax = 200
const canonical = new WeakSet<object>()

/** The canonical, frozen copy of a value. Undefined properties are dropped, as JSON does. */
export function toJson(value: unknown): Json {
  return copy(value, undefined, 0)
}

interface Trail {
  readonly parent: Trail | undefined
  readonly key: string | number
  readonly value: object
}

function copy(value: unknown, trail: Trail | undefined, depth: number): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new NotJsonError(pathOf(trail), `it is ${value}`)
      return value === 0 ? 0 : value
    case 'object':
      if (value === null) return null
      if (canonical.has(value)) return value as Json
      return copyObject(value, trail, depth)
    case 'undefined':
      throw new NotJsonError(pathOf(trail), 'it is undefined (use null)')
    default:
      throw new NotJsonError(pathOf(trail), `it is a ${typeof value}`)
  }
}

function copyObject(value: object, trail: Trail | undefined, depth: number): Json {
  if (depth > depthMax) throw new NotJsonError(pathOf(trail), `it is nested over ${depthMax} deep`)
  for (let up = trail; up !== undefined; up = up.parent) {
    if (up.value === value) throw new NotJsonError(pathOf(trail), 'it contains itself')
  }
  const result = Array.isArray(value)
    ? value.map((item, index) => copy(item, { parent: trail, key: index, value }, depth + 1))
    : copyRecord(value, trail, depth)
  canonical.add(Object.freeze(result))
  return result
}

function copyRecord(
  value: object,
  trail: Trail | undefined,
  depth: number,
): { readonly [key: string]: Json } {
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    const name = value.constructor?.name ?? 'unknown class'
    throw new NotJsonError(pathOf(trail), `it is a ${name}, not a plain object`)
  }
  const result: Record<string, Json> = {}
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue
    const part = copy(item, { parent: trail, key, value }, depth + 1)
    // A plain assignment to this one name would set the prototype instead.
    if (key === '__proto__') Object.defineProperty(result, key, { value: part, enumerable: true })
    else result[key] = part
  }
  return result
}

function pathOf(trail: Trail | undefined): string {
  if (trail === undefined) return '$'
  const { key, parent } = trail
  if (typeof key === 'number') return `${pathOf(parent)}[${key}]`
  return /^[A-Za-z_$][\w$]*$/.test(key)
    ? `${pathOf(parent)}.${key}`
    : `${pathOf(parent)}[${JSON.stringify(key)}]`
}
