import { expect, test } from 'vitest'
import { exitCodeOf, exitCodes, outcomeExitCodes, usedExitCodes } from './exit-codes.ts'

test('every exit code that is used is in the table, and the table has no others', () => {
  expect([...exitCodes.keys()].toSorted((a, b) => a - b)).toEqual(
    [...new Set(usedExitCodes)].toSorted((a, b) => a - b),
  )
})

test('an incomplete run never exits with 0', () => {
  for (const [outcome, code] of Object.entries(outcomeExitCodes)) {
    expect(code === 0).toBe(outcome === 'completed')
  }
  expect(exitCodeOf({ type: 'suspended', reason: 'paused' }, false)).toBe(7)
  expect(exitCodeOf({ type: 'suspended', reason: 'shut down' }, true)).toBe(130)
})

test('no two outcomes share a code', () => {
  const codes = Object.values(outcomeExitCodes)
  expect(new Set(codes).size).toBe(codes.length)
})
