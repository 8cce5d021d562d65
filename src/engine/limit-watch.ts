/** Interrupts a run when it reaches its time limit, also in the middle of a step. */

import type { Interrupter } from './interrupter.ts'
import type { Clock } from './ports.ts'
import type { Recorder } from './recorder.ts'

export interface LimitWatch {
  /** Checks again: the limits changed. */
  rearm(): void
  stop(): void
}

/** Active time does not grow while a run waits, so the remaining time is checked periodically. */
const waitingMs = 1000

export function watchLimits(
  clock: Clock,
  recorder: Recorder,
  interrupter: Interrupter,
): LimitWatch {
  let armed = new AbortController()
  let stopped = false

  const isRunning = (): boolean => recorder.state.status === 'running'

  const untilDeadlineMs = (): number =>
    (recorder.state.limits.deadlineAtMs ?? Number.POSITIVE_INFINITY) - clock.now()

  function timeLeftMs(): number {
    const { limits, activeMs, atMs } = recorder.state
    const running = isRunning() ? Math.max(0, recorder.now() - atMs) : 0
    return limits.timeMs - activeMs - running
  }

  const expiresInMs = (): number => Math.min(timeLeftMs(), untilDeadlineMs())

  function arm(): void {
    if (stopped) return
    armed = new AbortController()
    const patienceMs = isRunning() ? 1 : waitingMs
    const lookInMs = Math.min(Math.max(patienceMs, timeLeftMs()), untilDeadlineMs())
    clock.sleep(Math.max(1, lookInMs), armed.signal).then(
      () => {
        if (expiresInMs() <= 0) interrupter.abort('its time limit was reached')
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
    stop() {
      stopped = true
      armed.abort()
    },
  }
}
