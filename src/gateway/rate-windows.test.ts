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

test('consecutive refusals open it later and later, whatever the provider says', () => {
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

test('requests in flight together count as one refusal', () => {
  const windows = createRateWindows()
  for (let count = 0; count < 50; count++) windows.refused('a', 0, 10, undefined)
  expect(windows.opensAtMs('a')).toBe(2010)
})

test('one request goes first after a refusal; the others follow when it was accepted', () => {
  const windows = createRateWindows()
  const [one, other] = [{}, {}]
  expect(windows.enter('a', one) && windows.enter('a', other)).toBe(true)
  windows.refused('a', 0, 0, 1000)
  expect(windows.enter('a', one)).toBe(true)
  expect(windows.enter('a', other)).toBe(false)
  // It was not accepted: the next one tries.
  windows.left('a', one)
  expect(windows.enter('a', other)).toBe(true)
  expect(windows.enter('a', one)).toBe(false)
  windows.succeeded('a', 1000)
  expect(windows.enter('a', one)).toBe(true)
})
