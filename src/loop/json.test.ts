import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Json, NotJsonError, toJson } from './json.ts'

class Point {
  readonly x = 1
}

const cycle: Record<string, unknown> = { name: 'a' }
cycle['self'] = { back: cycle }

const { tree: anyValue } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
  tree: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(
      fc.oneof(fc.string(), fc.constant('__proto__')),
      fc.oneof(tie('tree'), fc.constant(undefined)),
      { maxKeys: 5 },
    ),
  ),
}))

function nested(levels: number): unknown {
  let value: unknown = 'bottom'
  for (let level = 0; level < levels; level++) value = { in: value }
  return value
}

function isFrozenThroughout(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThroughout)
}

const items = (value: Json | undefined): readonly Json[] => Object.values(value ?? {})

function refusal(value: unknown): NotJsonError | undefined {
  try {
    toJson(value)
  } catch (error) {
    if (error instanceof NotJsonError) return error
    throw error
  }
  return undefined
}

describe('a value that is written to the journal', () => {
  test('equals the result of a round trip through JSON', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(toJson(value)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(JSON.stringify(toJson(value))).toBe(JSON.stringify(value))
      }),
    )
  })

  test('is frozen in all its parts', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(isFrozenThroughout(toJson(value))).toBe(true)
      }),
    )
  })

  test('is returned unchanged if it came from the journal', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const canonical = toJson(value)
        expect(toJson(canonical)).toBe(canonical)
      }),
    )
  })

  test('shares the parts that came from the journal', () => {
    const first = toJson([{ n: 1 }, { n: 2 }])
    const second = toJson({ history: [...items(first), { n: 3 }] })
    const [history] = items(second)
    expect(items(history)[0]).toBe(items(first)[0])
    expect(items(history)[1]).toBe(items(first)[1])
  })

  test('is a copy, so that later changes to the original do not affect it', () => {
    const given = { list: [1] }
    const kept = toJson(given)
    given.list.push(2)
    expect(kept).toEqual({ list: [1] })
  })

  test('keeps a property named __proto__ as a property', () => {
    const kept = toJson(JSON.parse('{"__proto__": {"admin": true}}'))
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype)
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"admin":true}}')
  })

  test('loses properties that are undefined, and the sign of zero', () => {
    expect(toJson({ a: undefined, b: -0 })).toEqual({ b: 0 })
  })

  test('may have no prototype', () => {
    expect(toJson(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
  })

  test('may contain the same object twice', () => {
    const part = { n: 1 }
    expect(toJson([part, part])).toEqual([{ n: 1 }, { n: 1 }])
  })

  test('becomes a plain array if it is a subclass of Array', () => {
    class Stack extends Array<number> {}
    const kept = toJson(Stack.of(1, 2))
    expect(Object.getPrototypeOf(kept)).toBe(Array.prototype)
    expect(kept).toEqual([1, 2])
  })
})

describe('what cannot be stored is refused with the path of the offending field', () => {
  test.each<[string, unknown, string, string]>([
    ['a function', { run: () => 1 }, '$.run', 'function'],
    ['a symbol', { items: [Symbol('a')] }, '$.items[0]', 'symbol'],
    ['a bigint', { deep: { n: 1n } }, '$.deep.n', 'bigint'],
    ['not a number', [1, Number.NaN], '$[1]', 'NaN'],
    ['infinity', { 'a b': Number.POSITIVE_INFINITY }, '$["a b"]', 'Infinity'],
    ['a date', { items: [{ when: new Date(0) }] }, '$.items[0].when', 'Date'],
    ['a map', { seen: new Map() }, '$.seen', 'Map'],
    ['a set', [new Set()], '$[0]', 'Set'],
    ['bytes', { body: new Uint8Array(1) }, '$.body', 'Uint8Array'],
    ['an error', { cause: new Error('x') }, '$.cause', 'Error'],
    ['an instance of a class', { at: new Point() }, '$.at', 'Point'],
    ['a cycle', cycle, '$.self.back', 'contains itself'],
    ['undefined alone', undefined, '$', 'undefined'],
    ['undefined in a list', { list: [1, undefined] }, '$.list[1]', 'undefined'],
    [
      'a hole in a list',
      { list: JSON.parse('[1, 2]', (key, n) => (key === '1' ? undefined : n)) },
      '$.list[1]',
      'undefined',
    ],
    ['a boxed number', { n: Object(1) }, '$.n', 'Number'],
    ['a promise', { later: Promise.resolve(1) }, '$.later', 'Promise'],
  ])('%s', (_name, value, path, what) => {
    const error = refusal(value)
    expect(error?.path).toBe(path)
    expect(error?.message).toContain(path)
    expect(error?.message).toContain(what)
  })

  test('nesting of more than 200 levels', () => {
    expect(refusal(nested(201))).toBeUndefined()
    expect(refusal(nested(202))?.path).toBe(`$${'.in'.repeat(201)}`)
  })

  test('nesting of more than 200 levels if the parts came from the journal one by one', () => {
    let value: Json = {}
    const grow = (): void => {
      for (let level = 0; level < 1000; level++) value = toJson({ in: value })
    }
    expect(grow).toThrow('nested more than 200 levels deep')
    expect(toJson(JSON.parse(JSON.stringify(value)))).toEqual(value)
  })
})
