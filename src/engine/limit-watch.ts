/**
 * Interrupts a run when it reaches its time limit, and an iteration when it reaches its own, also in the middle of a
 * step.
 */

import { type Fault, iterationMs, type Limits } from '../loop/index.ts'
import type { Interrupter } from './interrupter.ts'
import type { Clock } from './ports.ts'
import type { Recorder } from './recorder.ts'

export interface LimitWatch {
  /** Starts watching: decisions that were made before are applied. */
  start(): void
  /** Checks again: the limits changed. */
  rearm(): void
  /** Calls back when the open iteration reaches its time limit. Returns how to stop watching it. */
  watchIteration(expire: (fault: Fault) => void): () => void
  stop(): void
}

/** Active time does not grow while a run waits, so the remaining time is checked periodically. */
const waitingMs = 1000

const noLimit = Number.POSITIVE_INFINITY

export function watchLimits(
  clock: Clock,
  recorder: Recorder,
  interrupter: Interrupter,
): LimitWatch {
  let armed = new AbortController()
  /** When the timer that is armed checks next. */
  let checksAtMs = noLimit
  let isWatching = false
  let expireIteration: ((fault: Fault) => void) | undefined

  const { isRunning, untilDeadlineMs, timeLeftMs, ...left } = createTimeLeft(clock, recorder)

  const iterationLeftMs = (): number =>
    expireIteration === undefined ? noLimit : left.iterationLeftMs()

  function endIteration(): void {
    const expire = expireIteration
    expireIteration = undefined
    expire?.(expiredFault(recorder.state.limits))
  }

  function check(): void {
    if (Math.min(timeLeftMs(), untilDeadlineMs()) <= 0) {
      interrupter.abort('its time limit was reached')
      return
    }
    if (iterationLeftMs() <= 0) endIteration()
    arm()
  }

  function nextCheckInMs(): number {
    const patienceMs = isRunning() ? 1 : waitingMs
    const leftMs = Math.min(timeLeftMs(), iterationLeftMs())
    return Math.max(1, Math.min(Math.max(patienceMs, leftMs), untilDeadlineMs()))
  }

  function arm(): void {
    if (!isWatching) return
    armed = new AbortController()
    const inMs = nextCheckInMs()
    checksAtMs = clock.now() + inMs
    clock.sleep(inMs, armed.signal).then(check, () => undefined)
  }

  /** A check that comes too early arms the timer again, so only one that would come too late is replaced. */
  function rearm(): void {
    if (!isWatching || clock.now() + nextCheckInMs() >= checksAtMs) return
    armed.abort()
    arm()
  }

  return {
    start() {
      isWatching = true
      arm()
    },
    rearm,
    watchIteration(expire) {
      expireIteration = expire
      // An iteration that is continued may have no time left.
      if (iterationLeftMs() <= 0) endIteration()
      else rearm()
      return () => {
        expireIteration = undefined
      }
    },
    stop() {
      isWatching = false
      armed.abort()
    },
  }
}

interface TimeLeft {
  isRunning(): boolean
  untilDeadlineMs(): number
  timeLeftMs(): number
  iterationLeftMs(): number
}

function createTimeLeft(clock: Clock, recorder: Recorder): TimeLeft {
  const isRunning = (): boolean => recorder.state.status === 'running'
  /** Since the last event. */
  const runningMs = (): number =>
    isRunning() ? Math.max(0, recorder.now() - recorder.state.atMs) : 0
  return {
    isRunning,
    untilDeadlineMs: () => (recorder.state.limits.deadlineAtMs ?? noLimit) - clock.now(),
    timeLeftMs() {
      const { limits, activeMs } = recorder.state
      return limits.timeMs - activeMs - runningMs()
    },
    iterationLeftMs() {
      const { state } = recorder
      const limitMs = state.limits.iteration?.timeMs
      return limitMs === undefined ? noLimit : limitMs - iterationMs(state) - runningMs()
    },
  }
}

function expiredFault({ iteration }: Limits): Fault {
  const seconds = (iteration?.timeMs ?? 0) / 1000
  const message = `The iteration reached its time limit of ${seconds} s.`
  return { code: 'iteration-limit', message, retryable: false }
}
