/**
 * How much there is to parse in a text, before it is parsed. What a value takes in memory has little to do
 * with its length: in `[{},{},…]` each three bytes become an object.
 */

import { stringEnd } from './json-members.ts'

export interface JsonWeight {
  /** Places where a value may be; more than the bound when the search ended there. */
  readonly values: number
  /** Of members, in all objects. */
  readonly names: number
  readonly depth: number
}

export const jsonBounds: { readonly values: number; readonly depth: number } = {
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

export function weighJson(bytes: Buffer): JsonWeight {
  let values = 1
  let names = 0
  let level = 0
  let depth = 0
  for (let at = 0; at < bytes.length && values <= jsonBounds.values; at++) {
    const byte = bytes[at]
    if (byte === quote) at = stringEnd(bytes, at) - 1
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

/** Names of members in all objects of a value. Fewer than in its text: some are there twice. */
export function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, one: unknown) => sum + countNames(one), 0)
  }
  const members = Object.values(value)
  return members.reduce<number>((sum, one: unknown) => sum + countNames(one), members.length)
}
