import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Interruption } from '../../engine/index.ts'
import { FaultError, LoopError, NotJsonError, rateLimited } from '../../loop/index.ts'
import { decodeError, encodeError } from './carried-error.ts'

const carry = (error: unknown): unknown =>
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
])('%s is the same on the other side', (_name, error) => {
  const carried = carry(error) as Error
  expect(carried.message).toBe(error.message)
  expect(carried.name).toBe(error.name)
  expect(Object.entries(carried)).toEqual(Object.entries(error))
})

test('a bug keeps its stack, and an error that was kept is found again', () => {
  const error = new Error('boom')
  expect((carry(error) as Error).stack).toBe(error.stack)
  const sent = encodeError(error, () => 7)
  const passed = encodeError(decodeError(sent))
  expect(decodeError(passed, (kept) => (kept === 7 ? error : undefined))).toBe(error)
})

test('whatever is thrown, it can be carried, and whatever comes, it is an error', () => {
  fc.assert(
    fc.property(fc.anything(), (thrown) => {
      expect(carry(thrown)).toBeInstanceOf(Error)
    }),
  )
  fc.assert(
    fc.property(fc.jsonValue(), (sent) => {
      expect(decodeError(sent)).toBeInstanceOf(Error)
    }),
  )
})
