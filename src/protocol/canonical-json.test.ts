import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalDepthMax, canonicalJson, formatJsonPath } from './canonical-json.ts'

describe('canonical JSON', () => {
  test('sorts keys at every level and writes no white space', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x', é: true, Z: -0 })).toBe(
      '{"Z":0,"a":"x","b":[{"c":null,"d":1}],"é":true}',
    )
  })

  test('gives the same text for the same value, in any order of its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(reversed(value))).toBe(text)
      }),
    )
  })

  test('keeps a key named __proto__ and drops undefined ones, as JSON does', () => {
    const text = '{"__proto__":{"a":1},"b":2}'
    expect(canonicalJson(JSON.parse(text))).toBe(text)
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}')
  })

  test.each([
    ['an infinite number', { a: [1, JSON.parse('1e999')] }, /^\$\.a\[1\] cannot be stored/],
    ['a hole in a list', [undefined], /^\$\[0\] cannot be stored: it is a undefined/],
    ['a function', { 'odd key': (): number => 1 }, /^\$\["odd key"\] cannot be stored/],
    ['a big integer', { n: 1n }, /^\$\.n cannot be stored: it is a bigint/],
  ])('refuses %s with its path', (_what, value, message) => {
    expect(() => canonicalJson(value)).toThrow(message)
  })

  test('refuses values that are nested too deeply, at any depth', () => {
    expect(canonicalJson(nested(canonicalDepthMax + 1))).toContain('[')
    expect(() => canonicalJson(nested(canonicalDepthMax + 2))).toThrow('nested more than')
    expect(() => canonicalJson(nested(100_000))).toThrow('nested more than')
  })
})

test('a path is formatted for people', () => {
  expect(formatJsonPath(['a', 3, 'odd key', '__proto__'])).toBe('$.a[3]["odd key"].__proto__')
  expect(formatJsonPath([])).toBe('$')
})

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, item]) => [key, reversed(item)]))
}
