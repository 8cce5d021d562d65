import { describe, expect, test } from 'vitest'
import { readLimit } from './earlier-journals.ts'

describe('the limit that a condition stands for', () => {
  test('is the one that the event carries, whatever the condition is called', () => {
    const met = { condition: 'no budget.cost before the deadline', ends: 'exhausted' } as const
    expect(readLimit({ ...met, limit: 'iterations' })).toBe('iterations')
  })

  test.each([
    ['max-iterations', 'iterations'],
    ['deadline', 'deadline'],
    ['budget.tokens', 'tokens'],
    ['budget.cost', 'cost'],
    ['budget.time', 'time'],
    ['all(max-iterations, deadline)', 'deadline'],
    ['enough', 'iterations'],
  ] as const)('of an earlier journal is derived from its description: %s', (condition, limit) => {
    expect(readLimit({ condition, ends: 'exhausted' })).toBe(limit)
  })
})
