/**
 * Whether a program still works. It is ended when nothing was heard of it for too long, and soon when it
 * has said its result and does not go. Time is counted by what was slept: clocks jump.
 */

import { type Clock, systemClock } from '../../engine/index.ts'
import type { Signal } from '../../loop/index.ts'

export interface ProgramWatchOptions {
  /** How long it may be silent. */
  readonly idleMs?: number
  /** How long it may be silent after its result. */
  readonly lingerMs?: number
  /** Its model is at work, or was a moment ago: however silent it is, it is not idle. */
  readonly isBusy?: () => boolean
  /** Its model has had its last word, a while ago. */
  readonly hasResult?: () => boolean
  readonly clock?: Clock
}

export interface ProgramWatch {
  /** Aborts when the run is stopped, or when the program is to be ended. */
  readonly signal: AbortSignal
  /** Why it was ended here. */
  readonly ended: 'idle' | 'lingered' | 'limit' | undefined
  heard(): void
  /** It has said how its work ended, or goes on after all. */
  saidResult(isOver: boolean): void
  /** It has had its turns. */
  endAtLimit(): void
  stop(): void
}

export const defaultIdleMs: number = 5 * 60_000
const defaultLingerMs = 20_000
const lookMsMax = 5000

export function watchProgram(options: ProgramWatchOptions, signal: Signal): ProgramWatch {
  const { idleMs = defaultIdleMs, lingerMs = defaultLingerMs, clock = systemClock } = options
  const lookMs = Math.max(1, Math.min(lookMsMax, Math.floor(Math.min(idleMs, lingerMs) / 4)))
  const end = new AbortController()
  const over = new AbortController()
  let quietMs = 0
  let wasHeard = false
  let isOver = false
  let ended: ProgramWatch['ended']
  const forward = (): void => end.abort(signal.reason)
  signal.addEventListener('abort', forward, { once: true })
  if (signal.aborted) forward()

  function look(): void {
    const isAtWork = wasHeard || options.isBusy?.() === true
    wasHeard = false
    quietMs = isAtWork ? 0 : quietMs + lookMs
    if (isAtWork) return
    const isIdle = quietMs >= idleMs || options.hasResult?.() === true
    if (isOver && quietMs >= lingerMs) ended = 'lingered'
    else if (!isOver && isIdle) ended = 'idle'
    if (ended !== undefined) end.abort()
  }

  async function watch(): Promise<void> {
    while (!over.signal.aborted && !end.signal.aborted) {
      await clock.sleep(lookMs, over.signal)
      look()
    }
  }
  void watch().catch(() => undefined)

  return {
    signal: end.signal,
    get ended() {
      return ended
    },
    heard() {
      wasHeard = true
    },
    saidResult(now) {
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
