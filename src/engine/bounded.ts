/** Runs the code of a step within its time limit, and abandons it when the run is stopped. */

import { FaultError, type Signal } from '../loop/index.ts'
import type { Interrupter } from './interrupter.ts'
import type { Clock } from './ports.ts'

/** How long code may take to react to an abort. */
const noticeMs = 2000

export function runBounded<T>(
  work: (signal: Signal) => T | Promise<T>,
  timeoutMs: number | undefined,
  interrupter: Interrupter,
  clock: Clock,
): T | Promise<T> {
  if (timeoutMs !== undefined) return runTimed(work, timeoutMs, interrupter, clock)
  const running = work(interrupter.aborted)
  return isPromise(running) ? abandonable(running, interrupter) : running
}

/** Includes promises of other libraries. */
const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value

/** After an abort, waits for the code no longer than the grace time. */
export function abandonable<T>(running: T | Promise<T>, interrupter: Interrupter): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopWatching = interrupter.onAbandon(reject)
    Promise.resolve(running).then(
      (value) => {
        stopWatching()
        resolve(value)
      },
      (error: unknown) => {
        stopWatching()
        reject(error)
      },
    )
  })
}

async function runTimed<T>(
  work: (signal: Signal) => T | Promise<T>,
  timeoutMs: number,
  interrupter: Interrupter,
  clock: Clock,
): Promise<T> {
  const own = new AbortController()
  const done = new AbortController()
  const message = `It took longer than ${timeoutMs} ms.`
  const timedOut = new FaultError({ code: 'timeout', message, retryable: true })
  const passOn = (): void => own.abort(interrupter.aborted.reason)
  if (interrupter.aborted.aborted) passOn()
  interrupter.aborted.addEventListener('abort', passOn, { once: true })
  let expired = false
  const expiry = new Promise<never>((_resolve, reject) => {
    clock.sleep(timeoutMs, done.signal).then(
      () => {
        expired = true
        own.abort(timedOut)
        void clock.sleep(noticeMs, done.signal).then(
          () => reject(timedOut),
          () => undefined,
        )
      },
      () => undefined,
    )
  })
  try {
    const result = await Promise.race([abandonable(work(own.signal), interrupter), expiry])
    if (expired) throw timedOut
    return result
  } catch (error) {
    throw expired ? timedOut : error
  } finally {
    done.abort()
    interrupter.aborted.removeEventListener('abort', passOn)
  }
}
