import { expect, test } from 'vitest'
import { createTimer, type Timer } from './timer.ts'

interface Scene {
  readonly timer: Timer
  readonly calls: () => number
  /** The delays that the system was asked for, while they are pending. */
  readonly pending: () => readonly number[]
  pass(ms: number): void
  /** The system fires what is pending, whatever the clock says. */
  fire(): Promise<void>
  /** The work of this call ends. */
  finish(ms: number): Promise<void>
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

function open(): Scene {
  let nowMs = 0
  let calls = 0
  let done: ((ms: number) => void) | undefined
  const armed = new Set<{ readonly ms: number; readonly task: () => void }>()
  const timer = createTimer(
    () => {
      calls += 1
      return new Promise((resolve) => {
        done = resolve
      })
    },
    {
      monotonicMs: () => nowMs,
      after(ms, task) {
        const one = { ms, task }
        armed.add(one)
        return () => void armed.delete(one)
      },
    },
  )
  return {
    timer,
    calls: () => calls,
    pending: () => [...armed].map(({ ms }) => ms),
    pass: (ms) => {
      nowMs += ms
    },
    async fire() {
      const due = Array.from(armed)
      armed.clear()
      for (const { task } of due) task()
      await turn()
    },
    async finish(ms) {
      done?.(ms)
      await turn()
    },
  }
}

test('a wake during the work is kept, also if its moment is not quite there when the work ends', async () => {
  const { timer, calls, pending, pass, fire, finish } = open()
  timer.wakeIn(0)
  await fire()
  timer.wakeIn(200)
  pass(199.7)
  await fire()
  await finish(30_000)
  expect(pending()).toEqual([expect.closeTo(0.3)])
  await fire()
  expect(calls()).toBe(2)
})

test('a wake whose moment passed during the work follows at once', async () => {
  const { timer, pending, pass, fire, finish } = open()
  timer.wakeIn(0)
  await fire()
  timer.wakeIn(200)
  pass(5000)
  await finish(30_000)
  expect(pending()).toEqual([0])
})

test('the work never runs twice at the same time', async () => {
  const { timer, calls, pending, fire } = open()
  timer.wakeIn(0)
  await fire()
  timer.wakeIn(0)
  await fire()
  expect([calls(), pending()]).toEqual([1, []])
})

test('the system is asked for the earliest moment only', async () => {
  const { timer, pending } = open()
  timer.wakeIn(500)
  timer.wakeIn(100)
  timer.wakeIn(300)
  expect(pending()).toEqual([100])
})

test('nothing fires after it was closed', async () => {
  const { timer, pending, fire, finish } = open()
  timer.wakeIn(0)
  await fire()
  timer.close()
  await finish(0)
  timer.wakeIn(0)
  expect(pending()).toEqual([])
})
