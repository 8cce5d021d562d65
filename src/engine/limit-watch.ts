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
  let isWatching = false
  let expireIteration: ((fault: Fault) => void) | undefined

  const isRunning = (): boolean => recorder.state.status === 'running'

  const untilDeadlineMs = (): number =>
    (recorder.state.limits.deadlineAtMs ?? noLimit) - clock.now()

  /** Since the last event. */
  const runningMs = (): number =>
    isRunning() ? Math.max(0, recorder.now() - recorder.state.atMs) : 0

  function timeLeftMs(): number {
    const { limits, activeMs } = recorder.state
    return limits.timeMs - activeMs - runningMs()
  }

  function iterationLeftMs(): number {
    const { state } = recorder
    const limitMs = state.limits.iteration?.timeMs
    if (limitMs === undefined || expireIteration === undefined) return noLimit
    return limitMs - iterationMs(state) - runningMs()
  }

  const expiresInMs = (): number => Math.min(timeLeftMs(), untilDeadlineMs())

  function endIteration(): void {
    const expire = expireIteration
    expireIteration = undefined
    expire?.(expiredFault(recorder.state.limits))
  }

  function check(): void {
    if (expiresInMs() <= 0) {
      interrupter.abort('its time limit was reached')
      return
    }
    if (iterationLeftMs() <= 0) endIteration()
    arm()
  }

  function arm(): void {
    if (!isWatching) return
    armed = new AbortController()
    const patienceMs = isRunning() ? 1 : waitingMs
    const leftMs = Math.min(timeLeftMs(), iterationLeftMs())
    const lookInMs = Math.min(Math.max(patienceMs, leftMs), untilDeadlineMs())
    clock.sleep(Math.max(1, lookInMs), armed.signal).then(check, () => undefined)
  }

  function rearm(): void {
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

function expiredFault({ iteration }: Limits): Fault {
  const seconds = (iteration?.timeMs ?? 0) / 1000
  const message = `The iteration reached its time limit of ${seconds} s.`
  return { code: 'iteration-limit', message, retryable: false }
}
