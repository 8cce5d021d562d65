import { expect, test } from 'vitest'
import { rateLimitWaitMs } from './rate-limit-wait.ts'

const nowMs = Date.parse('2026-11-15T12:00:00Z')

test.each([
  [{ 'retry-after': '30' }, '', 30_000],
  [{ 'retry-after': '0' }, '', 0],
  [{ 'retry-after': '1.5' }, '', 1500],
  [{ 'retry-after-ms': '250', 'retry-after': '30' }, '', 250],
  [{ 'retry-after': 'Sun, 15 Nov 2026 12:01:00 GMT' }, '', 60_000],
  [{ 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' }, '', 0],
  [
    {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-15T12:00:20Z',
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-11-15T12:00:40Z',
      'anthropic-ratelimit-input-tokens-remaining': '5000',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-15T13:00:00Z',
    },
    '',
    40_000,
  ],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }, '', 360_000],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '120ms' }, '', 120],
  [{}, '{"error":{"details":[{"@type":"x.RetryInfo","retryDelay": "37s"}]}}', 37_000],
  [{ 'retry-after': 'soon' }, '', undefined],
  [{ 'retry-after': '-5' }, '', undefined],
  [{ 'retry-after': '' }, '', undefined],
  [{ 'retry-after': '1e999' }, '', undefined],
  [{ 'retry-after': '1e300' }, '', undefined],
  [{ 'retry-after': '1e9' }, '', undefined],
  [{ 'retry-after': 'Fri, 01 Jan 9999 00:00:00 GMT' }, '', undefined],
  [{ 'retry-after-ms': '1e300', 'retry-after': '5' }, '', 5000],
  [{}, 'retryDelay', undefined],
])('%o %s: %s ms', (headers, body, expected) => {
  expect(rateLimitWaitMs(headers, body, nowMs)).toBe(expected)
})
