import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/index.ts'
import { watchProgram } from './program-watch.ts'

const never = new AbortController().signal

test('a program that is silent for too long is ended', async () => {
  const clock = createManualClock()
  const watch = watchProgram({ idleMs: 60_000, clock }, never)
  await clock.advance(59_000)
  expect(watch.signal.aborted).toBe(false)
  await clock.advance(1000)
  expect([watch.signal.aborted, watch.ended]).toEqual([true, 'idle'])
  expect(clock.alarms).toEqual([])
})

test('it is not idle as long as it prints or its model is working', async () => {
  const clock = createManualClock()
  let isBusy = true
  const watch = watchProgram({ idleMs: 20_000, isBusy: () => isBusy, clock }, never)
  await clock.advance(3_600_000)
  isBusy = false
  for (let count = 0; count < 10; count++) {
    watch.noteOutput()
    await clock.advance(15_000)
  }
  expect(watch.ended).toBeUndefined()
  await clock.advance(10_000)
  expect(watch.ended).toBe('idle')
})

test('after its result it has to exit soon, unless it continues', async () => {
  const clock = createManualClock()
  const watch = watchProgram({ clock }, never)
  watch.setResult(true)
  await clock.advance(15_000)
  watch.noteOutput()
  watch.setResult(false)
  await clock.advance(60_000)
  expect(watch.ended).toBeUndefined()
  watch.noteOutput()
  watch.setResult(true)
  await clock.advance(25_000)
  expect(watch.ended).toBe('lingered')
})

test('a program whose model is done and that reports no result is idle', async () => {
  const clock = createManualClock()
  const watch = watchProgram({ hasResult: () => true, clock }, never)
  await clock.advance(5000)
  expect(watch.ended).toBe('idle')
})

test('a stop of the run is passed on, and the watch ends', async () => {
  const clock = createManualClock()
  const stop = new AbortController()
  const watch = watchProgram({ clock }, stop.signal)
  const other = watchProgram({ clock }, stop.signal)
  other.stop()
  stop.abort(new Error('stopped'))
  expect(watch.signal.reason).toEqual(new Error('stopped'))
  expect(other.signal.aborted).toBe(false)
  await clock.advance(600_000)
  expect([watch.ended, other.ended]).toEqual([undefined, undefined])
  expect(clock.alarms).toEqual([])
})
