/** Interrupts a run when its time is over, also in the middle of a step. */

import type { Interrupter } from './interrupter.ts'
import type { Clock } from './ports.ts'
import type { Recorder } from './recorder.ts'

export interface LimitWatch {
  /** Looks again: the limits changed. */
  rearm(): void
  stop(): void
}

export function watchLimits(
  clock: Clock,
  recorder: Recorder,
  interrupter: Interrupter,
): LimitWatch {
  let armed = new AbortController()

  function expiresInMs(): number {
    const { limits, activeMs, atMs, status } = recorder.state
    const nowMs = clock.now()
    const running = status === 'running' ? Math.max(0, nowMs - atMs) : 0
    const timeLeft = limits.timeMs - activeMs - running
    const untilDeadline = (limits.deadlineAtMs ?? Number.POSITIVE_INFINITY) - nowMs
    return Math.min(timeLeft, untilDeadline)
  }

  function arm(): void {
    armed = new AbortController()
    clock.sleep(Math.max(1, expiresInMs()), armed.signal).then(
      () => {
        if (expiresInMs() <= 0) interrupter.abort('its time is over')
        else arm()
      },
      () => undefined,
    )
  }

  arm()
  return {
    rearm() {
      armed.abort()
      arm()
    },
    stop: () => armed.abort(),
  }
}
