import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorSignature, FaultError, rateLimited, toFault } from './fault.ts'

const signature = (message: string, code = 'step-failed'): string =>
  errorSignature({ code, message, retryable: false })

describe('two errors that a person would call the same have one signature', () => {
  test.each([
    ['numbers', 'expected 3 to be 4', 'expected 17 to be 4000'],
    ['numbers of any length', 'took 12 ms', 'took 12345678 ms'],
    ['decimals and times', 'at 12:04:59.123 after 1.5 s', 'at 03:00:00 after 12 s'],
    ['hashes', 'no object 3f786850e387550f', 'no object 89e6c98d92887913cadf06b2adb97f26cde4849b'],
    ['short hashes', 'commit 86123a2 is gone', 'commit 5d94d84 is gone'],
    ['addresses', 'segfault at 0x7ffeefbff5c8', 'segfault at 0x1f'],
    [
      'ids',
      'run 01912f5c-1b7a-7c3e-9d2b-0123456789ab is gone',
      'run ffffffff-1b7a-7c3e-9d2b-ba9876543210 is gone',
    ],
    [
      'ids of requests',
      'overloaded (request req_011CSHoEeqs5C35K2UUqR7Fy)',
      'overloaded (request req_018EeXa9UkWmvQ4nTy6p3LzB)',
    ],
    ['temporary files', 'cannot open /tmp/loop-Ab12/x.ts', 'cannot open /tmp/other/y.ts'],
    ['case and space', 'Not  Found\n', 'not found'],
  ])('if they differ in %s', (_name, one, other) => {
    expect(signature(one)).toBe(signature(other))
  })

  test('if they differ in numbers anywhere', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        expect(signature(`${one} of ${other} failed`)).toBe(signature(`${other} of ${one} failed`))
      }),
    )
  })
})

describe('errors that differ have different signatures', () => {
  test.each([
    ['words', 'cannot read file', 'cannot write file'],
    ['permanent files', 'error in src/a.ts', 'error in src/b.ts'],
    ['names', 'test_parse_v2_header failed', 'test_parse_v2_footer failed'],
  ])('in %s', (_name, one, other) => {
    expect(signature(one)).not.toBe(signature(other))
  })

  test('in their code', () => {
    expect(signature('it failed', 'timeout')).not.toBe(signature('it failed', 'refused'))
  })

  test('and a signature is short for any message', () => {
    expect(signature('no '.repeat(10_000)).length).toBeLessThan(400)
  })
})

describe('what the code of a step throws becomes a fault', () => {
  test.each([
    ['an error', new Error('no'), { code: 'step-failed', message: 'no', retryable: false }],
    ['a text', 'no', { code: 'step-failed', message: 'no', retryable: false }],
    ['nothing', undefined, { code: 'step-failed', message: 'undefined', retryable: false }],
    [
      'a transient failure',
      Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      { code: 'ECONNRESET', message: 'reset', retryable: true },
    ],
    [
      'a permanent failure',
      Object.assign(new Error('none'), { code: 'ENOENT' }),
      { code: 'ENOENT', message: 'none', retryable: false },
    ],
    [
      'a numeric code, which is dropped',
      Object.assign(new Error('aborted'), { code: 20 }),
      { code: 'step-failed', message: 'aborted', retryable: false },
    ],
  ])('%s', (_name, thrown, fault) => {
    expect(toFault(thrown)).toEqual(fault)
  })

  test('unchanged if it is a FaultError', () => {
    const fault = { code: 'conflict', message: 'merge by hand', retryable: false, fatal: true }
    expect(toFault(new FaultError(fault))).toEqual(fault)
  })

  test('with the time at which a provider accepts requests again', () => {
    expect(toFault(rateLimited('not now', 77))).toEqual({
      code: 'rate-limited',
      message: 'not now',
      retryable: true,
      retryAtMs: 77,
    })
  })

  test('with a message of limited length', () => {
    expect(toFault(new Error('x'.repeat(100_000))).message).toHaveLength(4000)
  })
})
