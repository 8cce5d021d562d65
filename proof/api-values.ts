/** Values for a JSON schema: such as it allows, and such as nobody should send. */

import * as fc from 'fast-check'

export type Fields = Readonly<Record<string, unknown>>

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Fields>> }
}

export interface OperationObject {
  readonly operationId: string
  readonly parameters: readonly ParameterObject[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: Fields; readonly example: unknown }>
    >
  }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Fields }>> }>
  >
}

export interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Fields
  readonly example: unknown
}

/** Values of fields whose name means something, such as `file`. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>

const depthMax = 6

/** What the schema allows. */
export function validFor(
  schema: Fields,
  document: Document,
  known: Known = {},
  depth = 0,
): fc.Arbitrary<unknown> {
  const again = (one: unknown): fc.Arbitrary<unknown> =>
    validFor(one as Fields, document, known, depth + 1)
  if (depth > depthMax) return fc.constant(null)
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].split('/').at(-1) ?? ''
    return again(document.components.schemas[name] ?? {})
  }
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) return fc.oneof(...choices.map(again))
  switch (schema['type']) {
    case 'string':
      return textFor(schema)
    case 'integer':
    case 'number':
      return wholeFor(schema)
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(again(schema['items'] ?? {}), { maxLength: 3 })
    case 'object':
      return objectFor(schema, again, known)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function textFor({ pattern, minLength = 0, maxLength = 40 }: Fields): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'))
  const max = Math.min(Number(maxLength), 40)
  return fc.string({ unit: 'grapheme', minLength: Number(minLength), maxLength: max })
}

function wholeFor({ minimum = 0, maximum = 1_000_000 }: Fields): fc.Arbitrary<number> {
  const [min, max] = [Number(minimum), Number(maximum)]
  const small = fc.integer({ min, max: Math.min(max, min + 50) })
  return fc.oneof({ weight: 4, arbitrary: small }, fc.constantFrom(min, max))
}

function objectFor(
  { properties = {}, required = [], additionalProperties }: Fields,
  again: (one: unknown) => fc.Arbitrary<unknown>,
  known: Known,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties as Fields).map(
    ([name, one]) => [name, known[name] ?? again(one)] as const,
  )
  const record = fc.record(Object.fromEntries(fields), { requiredKeys: required as string[] })
  if (typeof additionalProperties !== 'object' || fields.length > 0) return record
  return fc.dictionary(fc.string({ maxLength: 20 }), again(additionalProperties), { maxKeys: 3 })
}

/** Texts that something, somewhere, takes for something else. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\n',
  '\r\nx-injected: 1',
  '.',
  '..',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '/etc/passwd',
  '/dev/zero',
  '/dev/stdin',
  '/proc/self/environ',
  'C:\\Windows',
  '-',
  '--',
  '-rf',
  '--help',
  '--upload-pack=touch pwned',
  '--exec=touch pwned',
  '-c core.pager=touch pwned',
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned',
  '| touch pwned',
  '&& touch pwned',
  'ext::sh -c touch% pwned',
  "'; DROP TABLE runs; --",
  '" OR "1"="1',
  '%',
  '%%',
  '_',
  '%00',
  '%zz',
  '\\',
  '\ud800',
  '\udfff\ud800',
  '\u202etxt.exe',
  '\ufeff',
  'é'.repeat(200),
  '🦦'.repeat(100),
  'a'.repeat(300),
  'a'.repeat(5000),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-1',
  '1e999',
  '0x10',
  '01',
  '1.5',
  '9007199254740993',
  '99999999999999999999999',
  'true',
  '[]',
  '{}',
  '{{ input.goal }}',
  '${jndi:ldap://x}',
  '<script>alert(1)</script>',
]

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
)

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], { type: 'x' }),
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(JSON.parse(deep(500))),
)

const badKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'x',
  '',
  '\0',
  'a'.repeat(300),
]

/** A body that was allowed, spoilt in one place; as text, since not all of it is JSON. */
export const spoiltBody = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(valid, hostileJson, fc.nat()).map(spoilField) },
    { weight: 3, arbitrary: fc.tuple(valid, fc.constantFrom(...badKeys), hostileJson).map(addKey) },
    { weight: 1, arbitrary: hostileJson.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: valid.map((value) => `[${JSON.stringify(value)}]`) },
    { weight: 1, arbitrary: valid.map((value) => JSON.stringify(value).slice(0, -1)) },
    { weight: 1, arbitrary: valid.map(twice) },
    { weight: 1, arbitrary: fc.constantFrom(...badBodies) },
  )

const badBodies = [
  '',
  ' ',
  'null',
  '{',
  '{"a":',
  '\ufeff{}',
  "{'a':1}",
  '{"a":1,}',
  'NaN',
  '1e400',
  '{}{}',
  deep(20_000),
  `{"file":${deep(20_000)}}`,
  `{"file":"${'a'.repeat(200_000)}"}`,
  `{"by":"\\ud800"}`,
  `{${'"a":1,'.repeat(20_000)}"b":2}`,
]

function spoilField([value, bad, at]: [unknown, unknown, number]): string {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
  const name = names[at % Math.max(1, names.length)]
  return JSON.stringify(name === undefined ? bad : { ...(value as object), [name]: bad }) ?? 'null'
}

/** `__proto__` as a key, which no object literal could say. */
const addKey = ([value, key, bad]: [unknown, string, unknown]): string => {
  const text = JSON.stringify(value)
  const added = `${JSON.stringify(key)}:${JSON.stringify(bad) ?? 'null'}`
  return text === '{}' ? `{${added}}` : `${text.slice(0, -1)},${added}}`
}

/** Every key is there two times. */
const twice = (value: unknown): string => {
  const inside = JSON.stringify(value).slice(1, -1)
  return inside === '' ? '{"by":"a","by":"b"}' : `{${inside},${inside}}`
}
