import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Json, toJson } from './json.ts'
import { applyPatch, diff, isUnchanged, type Patch } from './patch.ts'

const json = fc.jsonValue({ maxDepth: 3 }).map(toJson)
const record = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('a', 'b', '__proto__')), json)

/** What a row would hold and give back. */
const written = (patch: Patch): Patch => JSON.parse(JSON.stringify(patch))

const sizeOf = (patch: Patch): number => JSON.stringify(patch).length

function expectRoundTrip(previous: Json | undefined, next: Json): void {
  expect(toJson(applyPatch(previous, written(diff(previous, next))))).toEqual(next)
}

describe('P1: a patch applied to what it was made from gives what it was made for', () => {
  test('for any two values', () => {
    fc.assert(
      fc.property(fc.option(json, { nil: undefined }), json, (previous, next) =>
        expectRoundTrip(previous, next),
      ),
    )
  })

  test('for objects that share some of their members', () => {
    fc.assert(
      fc.property(record, record, fc.array(fc.string()), (first, added, removed) => {
        const previous = toJson(first) as Record<string, Json>
        const kept = Object.entries(previous).filter(([key]) => !removed.includes(key))
        expectRoundTrip(previous, toJson(Object.fromEntries([...kept, ...Object.entries(added)])))
      }),
    )
  })

  test('for lists that slide: items leave at the front and join at the end', () => {
    fc.assert(
      fc.property(fc.array(json), fc.nat(10), fc.array(json), (items, drop, more) => {
        const previous = toJson(items) as Json[]
        expectRoundTrip(previous, toJson([...previous.slice(drop), ...more]))
      }),
    )
  })

  test('for a list inside an object inside a list', () => {
    const previous = toJson({ a: { list: [{ n: 1 }] }, b: [] }) as { a: { list: Json[] } }
    const next = toJson({ ...previous, a: { list: [...previous.a.list, { n: 2 }] } })
    expect(diff(previous, next)).toEqual({ at: { a: { at: { list: { push: [{ n: 2 }] } } } } })
    expectRoundTrip(previous, next)
  })

  test.each<[string, Json | undefined, Json, Patch]>([
    ['nothing before', undefined, toJson({ a: 1 }), { set: { a: 1 } }],
    ['another kind of value', toJson([1]), toJson({ 0: 1 }), { set: { 0: 1 } }],
    ['null to an object', null, toJson({}), { set: {} }],
    ['equal numbers', 1, 1, { keep: true }],
    ['two empty lists', toJson([]), toJson([]), { keep: true }],
    ['two empty objects', toJson({}), toJson({}), { keep: true }],
    ['a list that is emptied', toJson([1, 2]), toJson([]), { set: [] }],
    ['a list that gets shorter at its end', toJson([1, 2]), toJson([1]), { set: [1] }],
    ['a list that grows', toJson([1]), toJson([1, 2]), { push: [2] }],
    ['a list that slides', toJson([1, 2, 3]), toJson([2, 3, 4]), { push: [4], drop: 1 }],
    ['a property less', toJson({ a: 1, b: 2 }), toJson({ a: 1 }), { at: {}, del: ['b'] }],
  ])('%s', (_name, previous, next, patch) => {
    expect(diff(previous, next)).toEqual(patch)
    expectRoundTrip(previous, next)
  })
})

describe('a long history costs what was added to it', () => {
  test('a message more is as large at the thousandth as at the first', () => {
    const message = (n: number): Json => toJson({ role: 'user', text: `message ${n % 10}` })
    let history = toJson([message(0)]) as readonly Json[]
    const sizes: number[] = []
    for (let n = 1; n <= 1000; n++) {
      const next = toJson([...history, message(n)]) as readonly Json[]
      sizes.push(sizeOf(diff(history, next)))
      history = next
    }
    expect(new Set(sizes).size).toBe(1)
    expect(sizes[0]).toBeLessThan(60)
  })

  test('a window that slides costs the new item, whatever its length', () => {
    const items = toJson(Array.from({ length: 500 }, (_, n) => ({ n, text: 'x'.repeat(100) })))
    const previous = items as readonly Json[]
    const next = toJson([...previous.slice(1), { n: 500 }])
    expect(sizeOf(diff(previous, next))).toBeLessThan(60)
  })

  test('one changed member of a large object costs that member', () => {
    const large = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${n}`, { n }]))
    const previous = toJson(large) as Record<string, Json>
    const next = toJson({ ...previous, key250: { n: -1 } })
    expect(diff(previous, next)).toEqual({ at: { key250: { at: { n: { set: -1 } } } } })
  })

  test('what did not change says so', () => {
    fc.assert(fc.property(json, (value) => isUnchanged(diff(value, value))))
    expect(isUnchanged(diff(1, 2))).toBe(false)
  })
})

test.each<[string, Json | undefined, Patch]>([
  ['keep', undefined, { keep: true }],
  ['push', { a: 1 }, { push: [1] }],
  ['at', [1], { at: { a: { set: 1 } } }],
])('a %s patch without what it applies to is a bug, and says so', (_name, previous, patch) => {
  expect(() => applyPatch(previous, patch)).toThrow('patch needs')
})
