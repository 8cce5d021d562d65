import { expect, test } from 'vitest'
import { createRateWindows } from './rate-windows.ts'

test('a window opens when the provider says so, and is forgotten after a success', () => {
  const windows = createRateWindows()
  expect(windows.opensAtMs('a')).toBe(0)
  expect(windows.refused('a', 1000, 1100, 5000)).toBe(6100)
  expect(windows.opensAtMs('a')).toBe(6100)
  expect(windows.opensAtMs('b')).toBe(0)
  windows.succeeded('a', 900)
  expect(windows.opensAtMs('a')).toBe(6100)
  windows.succeeded('a', 6100)
  expect(windows.opensAtMs('a')).toBe(0)
})

test('refusals in a row open it later and later, whatever the provider says', () => {
  const windows = createRateWindows()
  let nowMs = 0
  const waits = Array.from({ length: 9 }, () => {
    const opensAtMs = windows.refused('a', nowMs, nowMs, 0)
    const waitMs = opensAtMs - nowMs
    nowMs = opensAtMs
    return waitMs
  })
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
})

test('requests that were under way together are one refusal', () => {
  const windows = createRateWindows()
  for (let count = 0; count < 50; count++) windows.refused('a', 0, 10, undefined)
  expect(windows.opensAtMs('a')).toBe(2010)
})

test('one goes first through a window that was closed; the others when it was taken', () => {
  const windows = createRateWindows()
  const [one, other] = [{}, {}]
  expect(windows.enter('a', one) && windows.enter('a', other)).toBe(true)
  windows.refused('a', 0, 0, 1000)
  expect(windows.enter('a', one)).toBe(true)
  expect(windows.enter('a', other)).toBe(false)
  // It came to nothing: the next one tries.
  windows.left('a', one)
  expect(windows.enter('a', other)).toBe(true)
  expect(windows.enter('a', one)).toBe(false)
  windows.succeeded('a', 1000)
  expect(windows.enter('a', one)).toBe(true)
})
