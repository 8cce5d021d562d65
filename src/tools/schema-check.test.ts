import { describe, expect, test } from 'vitest'
import type { Json } from '../loop/index.ts'
import { createSchemaCheck } from './schema-check.ts'
import type { JsonSchema } from './tool.ts'

const accepts = (schema: unknown, value: unknown): boolean =>
  createSchemaCheck(schema as JsonSchema).safeParse(value).success

function deep(levels: number): Json {
  let schema: Json = { type: 'string' }
  for (let level = 0; level < levels; level++) {
    schema = { type: 'object', properties: { a: schema }, required: ['a'] }
  }
  return schema
}

test('the structure in a schema is checked', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string', minLength: 2 },
      b: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 2 },
      c: { enum: ['x', 1, null] },
      d: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['a'],
    additionalProperties: false,
  }
  expect(accepts(schema, { a: 'ok', b: [1, 2], c: 1, d: null })).toBe(true)
  const bad = [{}, { a: 'x' }, { a: 'ok', b: [-1] }, { a: 'ok', b: [1, 2, 3] }, { a: 'ok', z: 1 }]
  for (const value of bad) expect(accepts(schema, value)).toBe(false)
  expect(accepts(schema, { a: 'ok', c: 'y' })).toBe(false)
  expect(accepts(schema, { a: 'ok', d: 5 })).toBe(false)
})

test('additional keys pass if the schema does not forbid them', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  expect(accepts(schema, { other: 1 })).toBe(true)
})

describe('a schema that is wrong, odd or hostile', () => {
  test.each<[string, unknown]>([
    ['is empty', {}],
    ['pretends to be a zod schema', { type: 'object', _zod: { def: {} }, _def: {}, parse: 'x' }],
    ['does not describe an object', { type: 'array' }],
    ['has no types', { properties: { a: 5 } }],
    ['has an unknown type', { type: 'object', properties: { a: { type: 'strnig' } } }],
    ['has properties that are a list', { type: 'object', properties: ['a'] }],
    ['requires a number', { type: 'object', required: 5 }],
    ['refers to itself', { type: 'object', properties: { a: { $ref: '#' } } }],
    [
      'refers to the network',
      { type: 'object', properties: { a: { $ref: 'http://127.0.0.1/x' } } },
    ],
    [
      'has an endless pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } },
    ],
    [
      'has an invalid pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
    ],
    [
      'has an unknown format',
      { type: 'object', properties: { a: { type: 'string', format: 'x' } } },
    ],
    ['has an empty list', { type: 'object', properties: { a: { enum: [] } }, anyOf: [] }],
    ['is nested very deeply', deep(10_000)],
    [
      'has very many parts',
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 20_000 }, (_, index) => [`k${index}`, { type: 'string' }]),
        ),
      },
    ],
    [
      'names a prototype',
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    ],
  ])('never crashes: it %s', (_, schema) => {
    const parser = createSchemaCheck(schema as JsonSchema)
    expect(parser.safeParse({ a: 'x' })).toHaveProperty('success')
    expect(parser.safeParse('text').success).toBe(false)
  })

  test('does not block the process', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } }
    expect(accepts(schema, { a: `${'a'.repeat(40)}!` })).toBe(true)
  })

  test('is checked as far as possible', () => {
    expect(accepts(deep(3), { a: { a: { a: 5 } } })).toBe(false)
    expect(accepts(deep(100), { a: 5 })).toBe(false)
  })
})

test('a value with more issues than memory can hold is not checked', () => {
  const alternatives = Array.from({ length: 2000 }, () => ({ type: 'null' }))
  const schema = {
    type: 'object',
    properties: { a: { type: 'array', items: { anyOf: alternatives } } },
  }
  expect(accepts(schema, { a: [1] })).toBe(false)
  expect(accepts(schema, { a: Array.from({ length: 1000 }, () => 1) })).toBe(true)
  const types = Array.from({ length: 2000 }, () => 'null')
  const typed = { type: 'object', properties: { a: { type: 'array', items: { type: types } } } }
  expect(accepts(typed, { a: [1] })).toBe(false)
  expect(accepts(typed, { a: Array.from({ length: 1000 }, () => 1) })).toBe(true)
  const plain = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } }
  expect(accepts(plain, { a: Array.from({ length: 20_000 }, () => 1) })).toBe(false)
  expect(accepts(plain, { a: Array.from({ length: 200_000 }, () => 1) })).toBe(true)
})
