/**
 * Stops a run gracefully. Draining lets the step in flight finish and starts no other; aborting
 * signals the step in flight to end, and abandons it after a grace time.
 */

import { setMaxListeners } from 'node:events'
import type { Fault } from '../loop/index.ts'
import type { Clock } from './ports.ts'

/** Thrown to a loop's code when its run is being stopped. The code may clean up but not continue. */
export class Interruption extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(`The run is being interrupted: ${reason}`)
    this.name = 'Interruption'
    this.reason = reason
  }
}

/** How long steps and code may take to end after an abort. */
export const abandonMs = 5000

export interface Interrupter {
  /** No new steps; waits end. */
  readonly draining: AbortSignal
  /** Steps in flight must end. */
  readonly aborted: AbortSignal
  readonly reason: string | undefined
  drain(reason: string, graceMs?: number): void
  abort(reason: string): void
  /** Throws when draining. */
  check(): void
  refuse(): Interruption
  /** Clears its timers: the run is over. */
  close(): void
  /** Calls back when the grace time after an abort is over. */
  onAbandon(giveUp: (error: Interruption) => void): () => void
}

export function createInterrupter(clock: Clock, abandonAfterMs: number): Interrupter {
  const soft = new AbortController()
  const hard = new AbortController()
  const over = new AbortController()
  // Every step in progress listens, and there may be many.
  setMaxListeners(0, soft.signal, hard.signal)
  const inFlight = new Set<(error: Interruption) => void>()
  let reason: string | undefined

  const refuse = (): Interruption => new Interruption(reason ?? 'stopped')

  function later(ms: number, act: () => void): void {
    clock.sleep(ms, over.signal).then(act, () => undefined)
  }

  function abort(why: string): void {
    if (hard.signal.aborted) return
    reason = why
    const interruption = new Interruption(why)
    soft.abort(interruption)
    hard.abort(interruption)
    later(abandonAfterMs, () => {
      for (const giveUp of inFlight) giveUp(refuse())
    })
  }

  return {
    draining: soft.signal,
    aborted: hard.signal,
    get reason() {
      return reason
    },
    drain(why, graceMs) {
      if (!soft.signal.aborted) {
        reason = why
        soft.abort(new Interruption(why))
      }
      if (graceMs !== undefined) later(graceMs, () => abort(why))
    },
    abort,
    check() {
      if (soft.signal.aborted) throw refuse()
    },
    refuse,
    close: () => over.abort(),
    onAbandon(giveUp) {
      inFlight.add(giveUp)
      return () => inFlight.delete(giveUp)
    },
  }
}

/** Stops one iteration: with its run, or alone when it reaches its time limit. */
export interface IterationInterrupter extends Interrupter {
  /** Why the iteration is over, if it is not the run that stops. */
  readonly expired: Fault | undefined
  /** Ends the iteration. No effect if the run is already stopping. */
  expire(fault: Fault): void
}

/** For an iteration without a separate time limit. */
export const withoutTimeLimit = (run: Interrupter): IterationInterrupter => ({
  ...run,
  get reason() {
    return run.reason
  },
  expired: undefined,
  expire: () => undefined,
  close: () => undefined,
})

export function createIterationInterrupter(run: Interrupter, clock: Clock): IterationInterrupter {
  const own = createInterrupter(clock, abandonMs)
  let expired: Fault | undefined
  const drain = (): void => own.drain(run.reason ?? 'stopped')
  const abort = (): void => own.abort(run.reason ?? 'stopped')
  if (run.draining.aborted) drain()
  if (run.aborted.aborted) abort()
  run.draining.addEventListener('abort', drain, { once: true })
  run.aborted.addEventListener('abort', abort, { once: true })
  return {
    ...own,
    get reason() {
      return own.reason
    },
    get expired() {
      return expired
    },
    expire(fault) {
      if (own.draining.aborted) return
      expired = fault
      own.abort(fault.message)
    },
    close() {
      run.draining.removeEventListener('abort', drain)
      run.aborted.removeEventListener('abort', abort)
      own.close()
    },
  }
}
