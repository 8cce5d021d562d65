import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Json, toJson } from './json.ts'
import { applyPatch, applyPatchInPlace, diff, isUnchanged, type Patch } from './patch.ts'

const json = fc.jsonValue({ maxDepth: 3 }).map(toJson)
const record = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('a', 'b', '__proto__')), json)

/** A value as a row would store and return it. */
const written = (patch: Patch): Patch => JSON.parse(JSON.stringify(patch))

const itemsOf = (value: Json): readonly Json[] => Object.values(value ?? {})

const message = (n: number): Json => toJson({ role: 'user', text: `message ${n % 10}` })

const sizeOf = (patch: Patch): number => JSON.stringify(patch).length

/** A patch as it is read back from its row. */
const roundTrip = (previous: Json | undefined, next: Json): Json =>
  applyPatch(previous, written(diff(previous, next)))

describe('P1: a patch applied to its source gives its target', () => {
  test('for any two values', () => {
    fc.assert(
      fc.property(fc.option(json, { nil: undefined }), json, (previous, next) => {
        expect(roundTrip(previous, next)).toEqual(next)
      }),
    )
  })

  test('for objects that share some of their members', () => {
    fc.assert(
      fc.property(record, record, fc.array(fc.string()), (first, added, removed) => {
        const kept = Object.entries(first).filter(([key]) => !removed.includes(key))
        const next = toJson(Object.fromEntries([...kept, ...Object.entries(added)]))
        expect(roundTrip(toJson(first), next)).toEqual(next)
      }),
    )
  })

  test('for sliding lists: items leave at the front and join at the end', () => {
    fc.assert(
      fc.property(fc.array(json), fc.nat(10), fc.array(json), (items, drop, more) => {
        const next = toJson([...items.slice(drop), ...more])
        expect(roundTrip(toJson(items), next)).toEqual(next)
      }),
    )
  })

  test('for a list inside an object inside a list', () => {
    const list = toJson([{ n: 1 }])
    const previous = toJson({ a: { list }, b: [] })
    const next = toJson({ a: { list: [...itemsOf(list), { n: 2 }] }, b: [] })
    expect(diff(previous, next)).toEqual({ at: { a: { at: { list: { push: [{ n: 2 }] } } } } })
    expect(roundTrip(previous, next)).toEqual(next)
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
    expect(roundTrip(previous, next)).toEqual(next)
  })
})

test('a patch applied in place gives the same result', () => {
  fc.assert(
    fc.property(fc.option(json, { nil: undefined }), json, (previous, next) => {
      const patch = written(diff(previous, next))
      const own: Json | undefined =
        previous === undefined ? undefined : JSON.parse(JSON.stringify(previous))
      expect(applyPatchInPlace(own, patch)).toEqual(next)
    }),
  )
  const list = toJson([{ n: 1 }, { n: 2 }])
  const next = toJson([...itemsOf(list).slice(1), { n: 3 }])
  const own: Json = JSON.parse(JSON.stringify(list))
  expect(applyPatchInPlace(own, diff(list, next))).toEqual(next)
})

describe('a patch of a long history is only as large as what was added', () => {
  test('the thousandth message costs as much as the first', () => {
    let history = toJson([message(0)])
    const sizes: number[] = []
    for (let n = 1; n <= 1000; n++) {
      const next = toJson([...itemsOf(history), message(n)])
      sizes.push(sizeOf(diff(history, next)))
      history = next
    }
    expect(new Set(sizes).size).toBe(1)
    expect(sizes[0]).toBeLessThan(60)
  })

  test('a sliding window of any length costs the new item', () => {
    const previous = toJson(Array.from({ length: 500 }, (_, n) => ({ n, text: 'x'.repeat(100) })))
    const next = toJson([...itemsOf(previous).slice(1), { n: 500 }])
    expect(sizeOf(diff(previous, next))).toBeLessThan(60)
  })

  test('one changed member of a large object costs that member', () => {
    const large = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${n}`, { n }]))
    const previous = toJson(large)
    const next = toJson({ ...large, key250: { n: -1 } })
    expect(diff(previous, next)).toEqual({ at: { key250: { at: { n: { set: -1 } } } } })
  })

  test('an unchanged value gives an unchanged patch', () => {
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
