import { describe, expect, test } from 'vitest'
import { readLimit, readStep } from './earlier-journals.ts'
import { stepId } from './ids.ts'

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

describe('what a step is', () => {
  test('is what its event carries, whatever the step is called', () => {
    const step = stepId('', 'prompt', 1)
    expect(readStep({ step, role: 'summary' })).toEqual({ kind: 'step', role: 'summary' })
    expect(readStep({ step, kind: 'agent', role: 'maker' })).toEqual({
      kind: 'agent',
      role: 'maker',
    })
  })

  test.each([
    [stepId('', 'agent:maker', 1), 'agent', 'maker'],
    [stepId('0.left/', 'agent:second reviewer', 3), 'agent', 'second reviewer'],
    [stepId('', 'check:unit: fast', 1), 'check', 'unit: fast'],
    [stepId('', 'certify:checks-pass', 1), 'certify', 'checks-pass'],
    [stepId('', 'prompt', 1), 'step', 'prompt'],
    [stepId('1.b/', 'changes', 2), 'step', 'changes'],
    [stepId('', 'prompt me', 1), 'step', undefined],
    [stepId('', 'plan', 1), 'step', undefined],
  ] as const)('of an earlier journal is derived from its name: %s', (step, kind, role) => {
    expect(readStep({ step })).toEqual({ kind, role })
    expect(readStep(kind === 'step' ? { step } : { step, kind })).toEqual({ kind, role })
  })
})
