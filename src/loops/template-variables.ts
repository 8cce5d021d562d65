/** What a template may refer to, and whether it refers to anything else. */

import { findNearestName } from '../loop/index.ts'

/**
 * What is known about a variable before it has a value: a value without parts, a list, an object,
 * or nothing at all (`any`).
 */
export type VariableShape =
  | 'value'
  | 'any'
  | { readonly list: VariableShape }
  | { readonly parts: { readonly [name: string]: VariableShape } }

/** Any item of a list. */
export const item: unique symbol = Symbol('item')

/** A path as written in the template: names, numbers, items, and nested paths in brackets. */
export type Segment = string | number | typeof item | { readonly segments: Path }
export type Path = readonly Segment[]

export interface UnknownVariable {
  /** Up to the first unknown name. */
  readonly path: string
  /** The closest known name. */
  readonly nearest: string | undefined
  readonly known: readonly string[]
}

/** Finds the first unknown name in a path. */
export function findUnknown(path: Path, shape: VariableShape): UnknownVariable | undefined {
  let current = shape
  for (const [index, segment] of path.entries()) {
    const next = findPart(current, segment)
    if (next !== undefined) {
      current = next
      continue
    }
    const known =
      typeof current === 'object' && 'parts' in current ? Object.keys(current.parts) : []
    const before = path.slice(0, index)
    const nearest = typeof segment === 'string' ? findNearestName(segment, known) : undefined
    return {
      path: pathToText(path.slice(0, index + 1)),
      nearest: nearest === undefined ? undefined : pathToText([...before, nearest]),
      known: known.map((name) => pathToText([...before, name])),
    }
  }
  return undefined
}

function findPart(shape: VariableShape, segment: Segment): VariableShape | undefined {
  // The content of brackets is only known at run time.
  if (shape === 'any' || typeof segment === 'object') return 'any'
  // Iterating over text yields the text, and over an object its names and parts.
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

/** The shape of an existing value. */
export function toShape(value: unknown): VariableShape {
  if (typeof value !== 'object' || value === null) return 'value'
  // Lists may contain values of any kind.
  if (Array.isArray(value)) return { list: 'any' }
  const parts = Object.entries(value).map(([name, part]): [string, VariableShape] => [
    name,
    toShape(part),
  ])
  return { parts: Object.fromEntries(parts) }
}

export function pathToText(path: Path): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'object') return `[${pathToText(segment.segments)}]`
      if (segment === item) return '[]'
      if (typeof segment === 'number') return `[${segment}]`
      if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(segment)) return `[${JSON.stringify(segment)}]`
      return index === 0 ? segment : `.${segment}`
    })
    .join('')
}
