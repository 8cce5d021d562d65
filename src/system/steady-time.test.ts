import { describe, expect, test } from 'vitest'
import { createSteadyTime } from './steady-time.ts'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

function createMachine() {
  const at = { wallMs: 1_800_000_000_000, steadyMs: 5000, bootMs: 9000 }
  return {
    at,
    pass(ms: number) {
      at.wallMs += ms
      at.steadyMs += ms
      at.bootMs += ms
    },
    sleep(ms: number) {
      at.wallMs += ms
      at.bootMs += ms
    },
    now: createSteadyTime({
      wallMs: () => at.wallMs,
      steadyMs: () => at.steadyMs,
      sinceBootMs: () => at.bootMs,
    }),
  }
}

describe('the steady time of a process', () => {
  test.each([
    ['two hours back', -2 * hourMs],
    ['ten years ahead', 10 * yearMs],
    ['to 1970', -1_800_000_000_000],
    ['an hour ahead, for daylight saving time', hourMs],
  ])('K1: is not affected by setting the system clock %s', (_name, ms) => {
    const { at, pass, now } = createMachine()
    const before = now()
    at.wallMs += ms
    expect(now()).toBe(before)
    for (let n = 1; n <= 10; n++) {
      pass(700)
      expect(now()).toBe(before + n * 700)
    }
    at.wallMs -= ms
    expect(now()).toBe(before + 7000)
  })

  test('K2: follows small clock corrections', () => {
    const { at, pass, now } = createMachine()
    now()
    for (let n = 0; n < 20; n++) {
      pass(100)
      at.wallMs -= 40
      expect(now()).toBe(at.wallMs)
    }
  })

  test('K2: counts the time the machine was asleep', () => {
    const { at, pass, sleep, now } = createMachine()
    now()
    pass(2000)
    now()
    sleep(8 * hourMs)
    expect(now()).toBe(at.wallMs)
    pass(500)
    expect(now()).toBe(at.wallMs)
  })

  test('K2: counts only the time asleep if the system clock was set meanwhile', () => {
    const { at, pass, sleep, now } = createMachine()
    const before = now()
    sleep(hourMs)
    at.wallMs += yearMs
    expect(now()).toBe(before + hourMs)
    pass(1500)
    expect(now()).toBe(before + hourMs + 1500)
  })
})
