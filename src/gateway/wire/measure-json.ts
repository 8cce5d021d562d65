/**
 * Measures how much there is to parse in a text before parsing it. Memory use has little to do with
 * length: in `[{},{},…]` every three bytes become an object.
 */

import { findStringEnd } from './json-members.ts'

export interface JsonSize {
  /** Upper bound of the number of values; exceeds the limit if counting stopped there. */
  readonly values: number
  /** Member names, over all objects. */
  readonly names: number
  readonly depth: number
}

export const jsonLimits: { readonly values: number; readonly depth: number } = {
  values: 200_000,
  depth: 500,
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

export function measureJson(bytes: Buffer): JsonSize {
  let values = 1
  let names = 0
  let level = 0
  let depth = 0
  for (let at = 0; at < bytes.length && values <= jsonLimits.values; at++) {
    const byte = bytes[at]
    if (byte === quote) at = findStringEnd(bytes, at) - 1
    else if (byte === comma) values++
    else if (byte === colon) names++
    else if (byte === openBracket || byte === openBrace) {
      values++
      level++
      depth = Math.max(depth, level)
    } else if (byte === closeBracket || byte === closeBrace) level--
  }
  return { values, names, depth }
}

/**
 * Member names over all objects of a value. Fewer than in the text if some names are duplicates.
 */
export function countMemberNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, one: unknown) => sum + countMemberNames(one), 0)
  }
  const members = Object.values(value)
  return members.reduce<number>((sum, one: unknown) => sum + countMemberNames(one), members.length)
}
