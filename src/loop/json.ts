/**
 * Values that survive a trip through the journal.
 *
 * Whatever a step returns or a loop type calls progress passes through `toJson` once: the copy that
 * comes back is what a resumed run would read, it is frozen, and parts that were canonical already
 * are shared instead of copied. So live and replayed runs see the same values, and `===` on two
 * canonical values means that nothing changed in between.
 */

/** A value that JSON can represent. Inputs, progress and results of steps are such values. */
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
/** Canonical values, with how many levels are below each. */
const canonical = new WeakMap<object, number>()

/** The canonical, frozen copy of a value. Undefined properties are dropped, as JSON does. */
export function toJson(value: unknown): Json {
  return copy(value, undefined, 0)
}

/**
 * Makes a value canonical without copying it. Only for values that came straight out of
 * `JSON.parse` and that nobody else holds.
 */
export function adoptJson(value: Json): Json {
  if (typeof value !== 'object' || value === null || canonical.has(value)) return value
  for (const part of Object.values(value)) adoptJson(part)
  canonical.set(Object.freeze(value), heightOf(value))
  return value
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
    case 'object': {
      if (value === null) return null
      const height = canonical.get(value)
      if (height === undefined) return copyObject(value, trail, depth)
      if (depth + height > depthMax) throw tooDeep(trail)
      return value as Json
    }
    case 'undefined':
      throw new NotJsonError(pathOf(trail), 'it is undefined (use null)')
    default:
      throw new NotJsonError(pathOf(trail), `it is a ${typeof value}`)
  }
}

function copyObject(value: object, trail: Trail | undefined, depth: number): Json {
  if (depth > depthMax) throw tooDeep(trail)
  for (let up = trail; up !== undefined; up = up.parent) {
    if (up.value === value) throw new NotJsonError(pathOf(trail), 'it contains itself')
  }
  // Unlike `map`, this sees holes, and makes a plain list of any kind of list.
  const result = Array.isArray(value)
    ? Array.from(value, (item, index) =>
        copy(item, { parent: trail, key: index, value }, depth + 1),
      )
    : copyRecord(value, trail, depth)
  canonical.set(Object.freeze(result), heightOf(result))
  return result
}

function heightOf(value: readonly Json[] | { readonly [key: string]: Json }): number {
  let height = 0
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof part !== 'object' || part === null) continue
    height = Math.max(height, 1 + (canonical.get(part) ?? 0))
  }
  return height
}

const tooDeep = (trail: Trail | undefined): NotJsonError =>
  new NotJsonError(pathOf(trail), `it is nested over ${depthMax} deep`)

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
