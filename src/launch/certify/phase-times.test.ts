import { expect, test } from 'vitest'
import { createPhaseClock } from './phase-times.ts'

test('a phase that overlaps with itself counts once, and one that fails counts too', async () => {
  let nowMs = 100
  const clock = createPhaseClock(() => nowMs)
  const waits: (() => void)[] = []
  const wait = (): Promise<void> => new Promise((resolve) => waits.push(resolve))
  const first = clock.during('checkout', wait)
  nowMs += 10
  const second = clock.during('checkout', wait)
  nowMs += 10
  waits[0]?.()
  await first
  nowMs += 10
  waits[1]?.()
  await second
  const failed = clock.during('checks', async () => {
    nowMs += 5
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  expect(clock.times()).toEqual({
    sandbox: 0,
    dependencies: 0,
    checkout: 30,
    checks: 5,
    total: 35,
  })
})
