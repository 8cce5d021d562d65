/**
 * A clock that stands still until the test moves it. Sleepers wake at their own moments, in order,
 * and what follows from one has happened before the next wakes.
 */

import type { Clock } from '../engine/index.ts'
import type { Signal } from '../loop/index.ts'

/** A clock that the test moves. */
export interface ManualClock extends Clock {
  /** Moves time. Resolves when what was due has happened. */
  advance(ms: number): Promise<void>
  /** Lets everything happen that waits for no time. */
  settle(): Promise<void>
  /** Moves from moment to moment at which somebody wakes, until the work is done. */
  pass<T>(work: Promise<T>): Promise<T>
  /** The moments at which somebody is to wake, soonest first. */
  readonly alarms: readonly number[]
}

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

/** Longer than any chain of work without a wait for time in one step of a test. */
const turnsToSettle = 25
const momentsMax = 20_000

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Creates a clock that stands still until the test moves it. */
export function createManualClock(startMs = 1_000_000, chance = 0.5): ManualClock {
  let nowMs = startMs
  let sleepers: Sleeper[] = []

  async function settle(): Promise<void> {
    for (let count = 0; count < turnsToSettle; count++) await turn()
  }

  function sleep(ms: number, signal?: Signal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const stop = (): void => {
        sleepers = sleepers.filter((other) => other !== sleeper)
        reject(signal?.reason)
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const sleeper: Sleeper = { atMs: nowMs + Math.max(0, ms), wake }
      signal?.addEventListener('abort', stop, { once: true })
      // Those of one moment wake in the order in which they fell asleep.
      sleepers = [...sleepers, sleeper].toSorted((a, b) => a.atMs - b.atMs)
    })
  }

  /** Wakes the next sleeper who is due by then. */
  async function wakeNext(untilMs: number): Promise<boolean> {
    const next = sleepers[0]
    if (next === undefined || next.atMs > untilMs) return false
    sleepers = sleepers.slice(1)
    nowMs = Math.max(nowMs, next.atMs)
    next.wake()
    await settle()
    return true
  }

  return {
    now: () => nowMs,
    sleep,
    turn,
    random: () => chance,
    settle,
    get alarms() {
      return sleepers.map((sleeper) => sleeper.atMs)
    },
    async advance(ms) {
      const untilMs = nowMs + ms
      await settle()
      while (await wakeNext(untilMs));
      nowMs = untilMs
    },
    async pass(work) {
      let done = false
      const noticed = work.finally(() => {
        done = true
      })
      noticed.catch(() => undefined)
      for (let moment = 0; moment < momentsMax; moment++) {
        await settle()
        if (done) return noticed
        if (sleepers.length > 0) await wakeNext(Number.POSITIVE_INFINITY)
      }
      throw new Error('it waits for something that never comes')
    },
  }
}
