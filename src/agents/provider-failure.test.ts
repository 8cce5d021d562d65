import { describe, expect, test } from 'vitest'
import { providerFailure } from './provider-failure.ts'

/** As the SDK's clients throw it. */
const answered = (statusCode: number, message = '', responseBody = '') =>
  Object.assign(new Error(message), { name: 'AI_APICallError', statusCode, responseBody })

describe('a response with a status', () => {
  test.each([
    [429, 'slow down', '', 'rate-limited'],
    [429, 'You exceeded your current quota', '{"code":"insufficient_quota"}', 'not-allowed'],
    [400, 'Your credit balance is too low to access the API', '', 'not-allowed'],
    [500, '', '', 'transient'],
    [529, 'Overloaded', '', 'transient'],
    [408, '', '', 'transient'],
    [401, '', '', 'not-allowed'],
    [403, '', '', 'not-allowed'],
    [404, '', '', 'unknown-model'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', '', 'too-long'],
    [400, "This model's maximum context length is 128000 tokens.", '', 'too-long'],
    [400, 'Your input exceeds the context window of this model.', '', 'too-long'],
    [400, 'The input token count (1200000) exceeds the maximum number of tokens', '', 'too-long'],
    [413, 'Request too large', '', 'too-long'],
    [400, 'tools.0.name: invalid', '', 'refused'],
    [422, 'temperature: out of range', '', 'refused'],
  ])('%s %s %s is %s', (status, message, body, kind) => {
    const failure = providerFailure(answered(status, message, body), 0)
    expect(failure).toMatchObject({ kind, mayBeCharged: false })
    expect(failure.message).toContain(`(HTTP ${status})`)
  })
})

describe('no response', () => {
  test.each([
    [
      'a refused connection',
      Object.assign(new Error('no'), { cause: { code: 'ECONNREFUSED' } }),
      false,
    ],
    ['an unknown host', new Error('getaddrinfo ENOTFOUND api.example'), false],
    ['a cut connection', new TypeError('terminated'), true],
    ['a response that is not JSON', answered(200, 'Invalid JSON response'), true],
    ['a text', 'something', true],
    ['nothing', undefined, true],
    ['an object that cannot be shown', Object.create(null), true],
  ])('%s may be retried', (_what, error, mayBeCharged) => {
    expect(providerFailure(error, 0)).toMatchObject({ kind: 'transient', mayBeCharged })
  })

  test('a missing key is not retried', () => {
    const error = Object.assign(new Error('no key'), { name: 'AI_LoadAPIKeyError' })
    expect(providerFailure(error, 0).kind).toBe('not-allowed')
  })
})

test('a message is limited in length', () => {
  expect(providerFailure(answered(500, 'x'.repeat(100_000)), 0).message.length).toBeLessThan(600)
})
