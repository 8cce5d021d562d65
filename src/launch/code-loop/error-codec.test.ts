import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Interruption } from '../../engine/index.ts'
import { FaultError, LoopError, NotJsonError, rateLimited } from '../../loop/index.ts'
import { decodeError, encodeError } from './error-codec.ts'

const encodeAndDecode = (error: unknown): unknown =>
  decodeError(JSON.parse(JSON.stringify(encodeError(error))))

const coded = Object.assign(new TypeError('reset'), { code: 'ECONNRESET' })

test.each([
  ['a fault', new FaultError({ code: 'mine', message: 'no', retryable: true, fatal: true })],
  ['a rate limit', rateLimited('later', 123)],
  ['a budget', new FaultError({ code: 'budget', message: 'x', retryable: false, limit: 'cost' })],
  ['a rejection', new LoopError('bad-name', 'no')],
  ['an interruption', new Interruption('stopped')],
  ['a value that cannot be stored', new NotJsonError('$.a: b', 'it is a Date')],
  ['an error with a code', coded],
])('%s is the same after encoding and decoding', (_name, error) => {
  const decoded = encodeAndDecode(error) as Error
  expect(decoded.message).toBe(error.message)
  expect(decoded.name).toBe(error.name)
  expect(Object.entries(decoded)).toEqual(Object.entries(error))
})

test('a bug keeps its stack, and a stored error is found again', () => {
  const error = new Error('boom')
  expect((encodeAndDecode(error) as Error).stack).toBe(error.stack)
  const sent = encodeError(error, () => 7)
  const passed = encodeError(decodeError(sent))
  expect(decodeError(passed, (kept) => (kept === 7 ? error : undefined))).toBe(error)
})

test('any thrown value can be encoded, and anything received decodes to an error', () => {
  fc.assert(
    fc.property(fc.anything(), (thrown) => {
      expect(encodeAndDecode(thrown)).toBeInstanceOf(Error)
    }),
  )
  fc.assert(
    fc.property(fc.jsonValue(), (sent) => {
      expect(decodeError(sent)).toBeInstanceOf(Error)
    }),
  )
})
