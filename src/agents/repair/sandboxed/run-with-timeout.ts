/**
 * Calls with a time limit. Endless loops are interrupted by Node's own watchdog; endless waits are
 * abandoned. Only code that loops between two waits has to be killed from outside.
 */

import vm from 'node:vm'

const slot: { call?: () => unknown } = {}
Object.defineProperty(globalThis, '__loopwrightCall', { value: () => slot.call?.() })
const script = new vm.Script('__loopwrightCall()')

export class CallTimeout extends Error {
  /** It got hardly any processor time: other processes had it. */
  readonly starved: boolean

  constructor(starved: boolean) {
    super('It did not end.')
    this.starved = starved
  }
}

export function callWithTimeout<T>(call: () => T, timeoutMs: number): T {
  slot.call = call
  const before = process.cpuUsage()
  try {
    return script.runInThisContext({ timeout: Math.max(1, Math.ceil(timeoutMs)) }) as T
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    const { user, system } = process.cpuUsage(before)
    throw new CallTimeout((user + system) / 1000 < 0.6 * timeoutMs)
  }
}

/** Limits both parts of the work: the synchronous part and the wait. */
export async function runWithTimeout<T>(call: () => T | Promise<T>, timeoutMs: number): Promise<T> {
  const result = callWithTimeout(call, timeoutMs)
  if (!isPromise(result)) return result
  let timer: NodeJS.Timeout | undefined
  const beganMs = performance.now()
  let rejectCall: (error: unknown) => void = () => undefined
  const late = new Promise<never>((_, reject) => {
    rejectCall = reject
    timer = originalSetTimeout(() => {
      reject(new CallTimeout(performance.now() - beganMs > 1.5 * timeoutMs))
    }, timeoutMs)
  })
  pendingCalls.add(rejectCall)
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
    pendingCalls.delete(rejectCall)
  }
}

const pendingCalls = new Set<(error: unknown) => void>()

/** An error outside the awaited promise fails whatever is being awaited: it will not settle. */
export function rejectPendingCalls(error: unknown): void {
  for (const rejectCall of pendingCalls) rejectCall(error)
}

/** Tests may replace the global timers. */
const originalSetTimeout = setTimeout

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
