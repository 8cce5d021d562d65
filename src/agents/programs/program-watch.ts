/**
 * Watches whether a program still works. It is ended if it is silent for too long, and sooner if it
 * has reported its result but does not exit. Time is counted by sleeps, because clocks jump.
 */

import { type Clock, systemClock } from '../../engine/index.ts'
import type { Signal } from '../../loop/index.ts'

export interface ProgramWatchOptions {
  /** How long it may be silent. */
  readonly idleMs?: number
  /** How long it may be silent after its result. */
  readonly lingerMs?: number
  /** Its model is working, or was a moment ago: however silent, it is not idle. */
  readonly isBusy?: () => boolean
  /** Its model gave its final response a while ago. */
  readonly hasResult?: () => boolean
  readonly clock?: Clock
}

export interface ProgramWatch {
  /** Aborts when the run is stopped, or when the program is to be ended. */
  readonly signal: AbortSignal
  /** Why the watch ended it. */
  readonly ended: 'idle' | 'lingered' | 'limit' | undefined
  noteOutput(): void
  /** It has reported its result, or continues after all. */
  setResult(isOver: boolean): void
  /** It has used up its turns. */
  endAtLimit(): void
  stop(): void
}

export const defaultIdleMs: number = 5 * 60_000
const defaultLingerMs = 20_000
const checkMsMax = 5000

export function watchProgram(options: ProgramWatchOptions, signal: Signal): ProgramWatch {
  const { idleMs = defaultIdleMs, lingerMs = defaultLingerMs, clock = systemClock } = options
  const checkMs = Math.max(1, Math.min(checkMsMax, Math.floor(Math.min(idleMs, lingerMs) / 4)))
  const end = new AbortController()
  const over = new AbortController()
  let quietMs = 0
  let hasOutput = false
  let isOver = false
  let ended: ProgramWatch['ended']
  const forward = (): void => end.abort(signal.reason)
  signal.addEventListener('abort', forward, { once: true })
  if (signal.aborted) forward()

  function check(): void {
    const isAtWork = hasOutput || options.isBusy?.() === true
    hasOutput = false
    quietMs = isAtWork ? 0 : quietMs + checkMs
    if (isAtWork) return
    const isIdle = quietMs >= idleMs || options.hasResult?.() === true
    if (isOver && quietMs >= lingerMs) ended = 'lingered'
    else if (!isOver && isIdle) ended = 'idle'
    if (ended !== undefined) end.abort()
  }

  async function watch(): Promise<void> {
    while (!over.signal.aborted && !end.signal.aborted) {
      await clock.sleep(checkMs, over.signal)
      check()
    }
  }
  void watch().catch(() => undefined)

  return {
    signal: end.signal,
    get ended() {
      return ended
    },
    noteOutput() {
      hasOutput = true
    },
    setResult(now) {
      isOver = now
    },
    endAtLimit() {
      ended ??= 'limit'
      end.abort()
    },
    stop() {
      over.abort()
      signal.removeEventListener('abort', forward)
    },
  }
}
