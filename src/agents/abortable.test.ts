import { expect, test } from 'vitest'
import { abortable, createTimeLimitedSignal } from './abortable.ts'

const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('a freed limit keeps no timer, which would keep the process alive', () => {
  const before = timers()
  const bounded = createTimeLimitedSignal(new AbortController().signal, 60_000, () => 'late')
  expect(timers()).toBe(before + 1)
  bounded.free()
  expect(timers()).toBe(before)
})

test('a limit follows the signal, even one that has already aborted', () => {
  const stop = new AbortController()
  const bounded = createTimeLimitedSignal(stop.signal, 60_000, () => 'late')
  stop.abort('stopped')
  const late = createTimeLimitedSignal(stop.signal, 60_000, () => 'late')
  expect([bounded.signal.reason, late.signal.reason]).toEqual(['stopped', 'stopped'])
  bounded.free()
  late.free()
})

test('work is not started after the signal aborts, and not awaited', async () => {
  const stop = new AbortController()
  const waiting = abortable(stop.signal, () => new Promise<never>(() => undefined))
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  let begun = false
  const never = abortable(stop.signal, async () => {
    begun = true
  })
  await expect(never).rejects.toThrow('stopped')
  expect(begun).toBe(false)
})
