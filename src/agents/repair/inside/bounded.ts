/**
 * Calls that end. What loops without a pause is broken off by Node's own watchdog, at the cost of a
 * moment; what waits for ever is no longer waited for. Only what loops between two waits has to be
 * killed from outside.
 */

import vm from 'node:vm'

const slot: { call?: () => unknown } = {}
Object.defineProperty(globalThis, '__loopwrightCall', { value: () => slot.call?.() })
const script = new vm.Script('__loopwrightCall()')

export class TooLong extends Error {
  /** It had hardly any time on a processor: others had it. */
  readonly starved: boolean

  constructor(starved: boolean) {
    super('It did not end.')
    this.starved = starved
  }
}

export function boundedCall<T>(call: () => T, timeoutMs: number): T {
  slot.call = call
  const before = process.cpuUsage()
  try {
    return script.runInThisContext({ timeout: Math.max(1, Math.ceil(timeoutMs)) }) as T
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    const { user, system } = process.cpuUsage(before)
    throw new TooLong((user + system) / 1000 < 0.6 * timeoutMs)
  }
}

/** Both halves of the work are bounded: what is done at once, and what is waited for. */
export async function bounded<T>(call: () => T | Promise<T>, timeoutMs: number): Promise<T> {
  const result = boundedCall(call, timeoutMs)
  if (!isPromise(result)) return result
  let timer: NodeJS.Timeout | undefined
  const beganMs = performance.now()
  let giveUp: (error: unknown) => void = () => undefined
  const late = new Promise<never>((_, reject) => {
    giveUp = reject
    timer = keptSetTimeout(() => {
      reject(new TooLong(performance.now() - beganMs > 1.5 * timeoutMs))
    }, timeoutMs)
  })
  waiting.add(giveUp)
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
    waiting.delete(giveUp)
  }
}

const waiting = new Set<(error: unknown) => void>()

/** What was thrown where nobody waits for it has failed whatever is waited for: it will not end. */
export function giveUpWaiting(error: unknown): void {
  for (const giveUp of waiting) giveUp(error)
}

/** Tests put clocks of their own in place of the usual one. */
const keptSetTimeout = setTimeout

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
