/**
 * One timer for repeated work.
 *
 * 1. The work never runs twice at the same time.
 * 2. A wake during the work is kept, and never lost: `wantedAtMs` is all that the timer knows, and it is armed from it
 *    whenever the work is over. A timer of the system that fires early or late changes nothing.
 */

export interface Timer {
  wakeIn(ms: number): void
  /** Resolves when the work that runs now, if any, is over. */
  settled(): Promise<void>
  close(): void
}

export interface TimerPorts {
  monotonicMs(): number
  /** Returns how to cancel it. */
  after(ms: number, task: () => void): () => void
}

const retryMs = 5000

const systemTimers: TimerPorts = {
  monotonicMs: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Calls `work` when it is woken, and again after as many milliseconds as it returned. */
export function createTimer(
  work: () => Promise<number>,
  { monotonicMs, after }: TimerPorts = systemTimers,
): Timer {
  let wantedAtMs = Infinity
  let cancel: (() => void) | undefined
  let working: Promise<void> | undefined
  let isClosed = false

  function arm(): void {
    cancel?.()
    cancel = undefined
    if (isClosed || working !== undefined || wantedAtMs === Infinity) return
    cancel = after(Math.max(0, wantedAtMs - monotonicMs()), fire)
  }
  function wakeIn(ms: number): void {
    const atMs = monotonicMs() + ms
    if (atMs >= wantedAtMs) return
    wantedAtMs = atMs
    arm()
  }
  function fire(): void {
    cancel = undefined
    if (isClosed) return
    wantedAtMs = Infinity
    working = work()
      .catch(() => retryMs)
      .then((ms) => {
        working = undefined
        wantedAtMs = Math.min(wantedAtMs, monotonicMs() + ms)
        arm()
      })
  }
  return {
    wakeIn,
    settled: async () => working,
    close() {
      isClosed = true
      arm()
    },
  }
}
