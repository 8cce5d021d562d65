import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Fault } from './fault.ts'
import { defaultRetry, type RetryPolicy, retryDelayMs } from './retry.ts'

const transient: Fault = { code: 'ECONNRESET', message: 'gone', retryable: true }

const policies = fc.record({
  attempts: fc.integer({ min: 1, max: 2000 }),
  firstDelayMs: fc.integer({ min: 0, max: 10_000 }),
  factor: fc.integer({ min: 1, max: 10 }),
  delayMsMax: fc.integer({ min: 0, max: 60_000 }),
})
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('a failed step', () => {
  test('is retried after a delay that doubles', () => {
    const delays = [1, 2].map((attempt) => retryDelayMs(defaultRetry, transient, attempt, 0))
    expect(delays).toEqual([250, 500])
  })

  test('waits a random time between half and the full delay', () => {
    const delays = [0, 0.5, 0.999_999].map((chance) =>
      retryDelayMs(defaultRetry, transient, 1, chance),
    )
    expect(delays).toEqual([250, 375, 500])
  })

  test('never waits longer than the policy allows', () => {
    fc.assert(
      fc.property(policies, fc.nat(2000), chances, (policy, attempt, chance) => {
        const delay = retryDelayMs(policy, transient, attempt + 1, chance) ?? 0
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(policy.delayMsMax)
      }),
    )
    const endless = { ...defaultRetry, firstDelayMs: 0, attempts: 5000 }
    expect(retryDelayMs(endless, transient, 4000, 0.5)).toBe(0)
  })

  test('is tried exactly as often as the policy says', () => {
    fc.assert(
      fc.property(policies, chances, (policy, chance) => {
        let attempts = 1
        while (retryDelayMs(policy, transient, attempts, chance) !== undefined) attempts++
        expect(attempts).toBe(policy.attempts)
      }),
    )
  })

  test.each<[string, Partial<Fault>, Partial<RetryPolicy>]>([
    ['its fault is permanent', { retryable: false }, {}],
    ['the provider set a retry time', { code: 'rate-limited', retryAtMs: 5 }, {}],
    ['the policy allows only one attempt', {}, { attempts: 1 }],
  ])('is not tried again when %s', (_name, fault, policy) => {
    const delay = retryDelayMs({ ...defaultRetry, ...policy }, { ...transient, ...fault }, 1, 0.5)
    expect(delay).toBeUndefined()
  })
})
