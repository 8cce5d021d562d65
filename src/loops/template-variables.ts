/** What a template may ask for, and whether it asks for anything else. */

import { nearestName } from '../loop/index.ts'

/**
 * What is known about a variable before there is a value: a value without parts, a list of such
 * things, an object of them, or nothing at all (`any`).
 */
export type Shape =
  | 'value'
  | 'any'
  | { readonly list: Shape }
  | { readonly parts: { readonly [name: string]: Shape } }

/** Any item of a list, whichever. */
export const item: unique symbol = Symbol('item')

/** A path as the template has it: names, numbers, items, and paths of its own inside brackets. */
export type Segment = string | number | typeof item | { readonly segments: Path }
export type Path = readonly Segment[]

export interface UnknownVariable {
  /** Up to the first name that is not known. */
  readonly path: string
  /** The nearest known one. */
  readonly nearest: string | undefined
  readonly known: readonly string[]
}

/** The first name of a path that nothing is known by. */
export function unknownIn(path: Path, shape: Shape): UnknownVariable | undefined {
  let here = shape
  for (const [index, segment] of path.entries()) {
    const next = partOf(here, segment)
    if (next !== undefined) {
      here = next
      continue
    }
    const known = typeof here === 'object' && 'parts' in here ? Object.keys(here.parts) : []
    const before = path.slice(0, index)
    const nearest = typeof segment === 'string' ? nearestName(segment, known) : undefined
    return {
      path: textOfPath(path.slice(0, index + 1)),
      nearest: nearest === undefined ? undefined : textOfPath([...before, nearest]),
      known: known.map((name) => textOfPath([...before, name])),
    }
  }
  return undefined
}

function partOf(shape: Shape, segment: Segment): Shape | undefined {
  // What stands in brackets is only known when there are values.
  if (shape === 'any' || typeof segment === 'object') return 'any'
  // Going over text gives the text, and over an object its names and parts.
  if (segment === item) {
    return shape === 'value' ? 'value' : 'list' in shape ? shape.list : 'any'
  }
  if (shape === 'value') return segment === 'size' ? 'value' : undefined
  if ('list' in shape) {
    if (segment === 'size') return 'value'
    const isItem = typeof segment === 'number' || segment === 'first' || segment === 'last'
    return isItem ? shape.list : undefined
  }
  if (typeof segment === 'string' && Object.hasOwn(shape.parts, segment)) {
    return shape.parts[segment]
  }
  return segment === 'size' ? 'value' : undefined
}

/** The shape of a value that is there already. */
export function shapeOf(value: unknown): Shape {
  if (typeof value !== 'object' || value === null) return 'value'
  // Lists may hold things of any kind.
  if (Array.isArray(value)) return { list: 'any' }
  const parts = Object.entries(value).map(([name, part]): [string, Shape] => [name, shapeOf(part)])
  return { parts: Object.fromEntries(parts) }
}

export function textOfPath(path: Path): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'object') return `[${textOfPath(segment.segments)}]`
      if (segment === item) return '[]'
      if (typeof segment === 'number') return `[${segment}]`
      if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(segment)) return `[${JSON.stringify(segment)}]`
      return index === 0 ? segment : `.${segment}`
    })
    .join('')
}
