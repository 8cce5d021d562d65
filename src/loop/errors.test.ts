import { describe, expect, test } from 'vitest'
import { errorTable, isLoopError, LoopError } from './errors.ts'

const table = Object.entries(errorTable)

describe('every code of a rejection', () => {
  test.each(table)('%s has an HTTP status of a rejection', (_code, { httpStatus }) => {
    expect(httpStatus).toBeGreaterThanOrEqual(400)
    expect(httpStatus).toBeLessThan(600)
  })

  test.each(table)(
    '%s has an exit code that is neither success nor failure',
    (_code, treatment) => {
      const { exitCode } = treatment
      expect(exitCode).toBeGreaterThan(1)
      // Shells and signals use the codes from 126 on.
      expect(exitCode).toBeLessThan(126)
    },
  )
})

test('a rejection is recognized by its class and code, and keeps its cause', () => {
  const cause = new Error('disk full')
  const error = new LoopError('store-failed', 'Free some space.', { cause })
  expect(error.cause).toBe(cause)
  expect(isLoopError(error)).toBe(true)
  expect(isLoopError(error, 'store-failed')).toBe(true)
  expect(isLoopError(error, 'fenced')).toBe(false)
  expect(isLoopError(cause)).toBe(false)
  expect(isLoopError({ code: 'store-failed', name: 'LoopError' })).toBe(false)
})
