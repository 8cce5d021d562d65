import { describe, expect, test } from 'vitest'
import { initialState, type RunState, readState, type StoredState } from '../loop/index.ts'
import { createManualClock } from '../testing/manual-clock.ts'
import { createInterrupter } from './interrupter.ts'
import { watchLimits } from './limit-watch.ts'
import type { Recorder } from './recorder.ts'

const open = { iteration: 1, fromSeq: 2, startedAtMs: 1000, codeDigest: 'd' }

/** A watch over a state that the test changes. */
function watched(state: Partial<StoredState>) {
  const clock = createManualClock(1000)
  const interrupter = createInterrupter(clock, 5000)
  const recorder: Recorder = {
    state: readState({ ...initialState, status: 'running', atMs: 1000, ...state }),
    now: () => clock.now(),
    record: async () => undefined,
    note: () => undefined,
    flushed: async () => undefined,
    backlog: 0,
    failure: undefined,
    requireLease: async () => undefined,
    close: () => undefined,
  }
  const move = (next: Partial<RunState>): void => {
    Object.assign(recorder, { state: { ...recorder.state, ...next } })
  }
  const limits = watchLimits(clock, recorder, interrupter)
  limits.start()
  return { clock, interrupter, move, limits }
}

const timeMs = (ms: number): RunState['limits'] => ({ ...initialState.limits, timeMs: ms })

describe('the watch over the time limits of a run', () => {
  test('interrupts it when its time limit is reached', async () => {
    const { clock, interrupter } = watched({ limits: timeMs(300), activeMs: 100 })
    await clock.advance(199)
    expect(interrupter.aborted.aborted).toBe(false)
    await clock.advance(1)
    expect(interrupter.aborted.aborted).toBe(true)
    expect(interrupter.reason).toBe('its time limit was reached')
  })

  test('interrupts it at its deadline, also while it waits', async () => {
    const limits = { ...initialState.limits, deadlineAtMs: 1500 }
    const { clock, interrupter } = watched({ limits, status: 'waiting', open })
    await clock.advance(500)
    expect(interrupter.aborted.aborted).toBe(true)
  })

  test('does not count the time in which it waits', async () => {
    const { clock, interrupter, move } = watched({ limits: timeMs(300), status: 'waiting', open })
    await clock.advance(60_000)
    expect(interrupter.aborted.aborted).toBe(false)
    move({ status: 'running', atMs: clock.now() })
    await clock.advance(1300)
    expect(interrupter.aborted.aborted).toBe(true)
  })

  test('checks again when the limits change', async () => {
    const { clock, interrupter, move, limits } = watched({ limits: timeMs(300) })
    move({ limits: timeMs(100) })
    limits.rearm()
    await clock.advance(100)
    expect(interrupter.aborted.aborted).toBe(true)
  })

  test('E9: leaves no timer behind after it stopped, even if a late decision wakes it', () => {
    const { clock, limits } = watched({})
    limits.stop()
    limits.rearm()
    expect(clock.alarms).toEqual([])
  })
})
