import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operations } from './operations.ts'
import { flag, oneOf, orElse, required, text, whole } from './parameter.ts'

const ajv = new Ajv2020({ strict: false, validateSchema: false })
const named = operations.flatMap(({ params = {}, query = {}, headers = {}, id }) =>
  Object.entries({ ...params, ...query, ...headers }).map(
    ([name, parameter]) => [parameter, `${id} ${name}`] as const,
  ),
)
/** Characters that several classes share, once. */
const parameters = [...new Map(named)].map(([parameter, name]) => [name, parameter] as const)

describe('a parameter', () => {
  test.each(parameters)('accepts what its schema allows, and nothing else: %s', (_, parameter) => {
    const isAllowed = ajv.compile(parameter.schema)
    const words = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.integer().map(String),
      fc.constantFrom('true', 'false', '', '\0', '01', '1e3', 'a'.repeat(5000), 'running'),
    )
    fc.assert(
      fc.property(words, (given) => {
        const read = parameter.read(given)
        if ('value' in read) return isAllowed(read.value)
        return parameter.schema['type'] !== 'string' || !isAllowed(given)
      }),
      { numRuns: 40 },
    )
    expect(parameter.read(String(parameter.example))).toEqual({ value: parameter.example })
  })
})

test.each([
  [text({ description: '', example: 'a', max: 2 }), 'abc', 'it is longer than 2 characters'],
  [text({ description: '', example: 'a', max: 2 }), '', 'it is empty'],
  [
    text({ description: '', example: '7', max: 2, pattern: /^\d$/ }),
    'x',
    'it does not match the pattern, such as 7',
  ],
  [
    whole({ description: '', example: 1, min: 1, max: 9 }),
    '10',
    'it is not a whole number from 1 to 9',
  ],
  [oneOf(['a', 'b'], { description: '', example: 'a' }), 'c', 'it is not one of a, b'],
  [flag(''), '1', 'it is neither true nor false'],
  [required(text({ description: '', example: 'a', max: 2 }), ''), '', 'it is empty'],
  [
    orElse(whole({ description: '', example: 1, max: 9 }), 5),
    '-1',
    'it is not a whole number from 0 to 9',
  ],
])('reports what is wrong with a text (%#)', (parameter, given, reason) => {
  expect(parameter.read(given)).toEqual({ reason })
})

test('counts code points, not code units', () => {
  const two = text({ description: '', example: 'a', max: 2 })
  expect(two.read('🦦🦦')).toEqual({ value: '🦦🦦' })
})
