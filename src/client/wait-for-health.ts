/** Waits until a daemon answers: for 5 s by default, with growing pauses from 200 ms. */

import { isLoopError, LoopError } from '../loop/index.ts'
import type { Client } from './client.ts'

export interface HealthWait {
  readonly windowMs?: number
  readonly firstMs?: number
  /** The longest pause. */
  readonly longestMs?: number
  /** Whether waiting has become pointless. */
  isLost?(): boolean
}

const healthTimeoutMs = 2000

/** Returns the client that answered. `open` may have none yet. */
export async function waitForHealth(
  open: () => Client | undefined,
  { windowMs = 5000, firstMs = 200, longestMs = 1600, isLost = () => false }: HealthWait = {},
): Promise<Client> {
  const endMs = performance.now() + windowMs
  let waitMs = firstMs
  let problem: unknown
  let where = 'its socket'
  for (;;) {
    const client = open()
    if (client !== undefined) {
      where = client.where
      try {
        await client.health({ timeoutMs: healthTimeoutMs })
        return client
      } catch (error) {
        // A wrong token does not get better by waiting.
        if (isLoopError(error) && error.code !== 'not-available') throw error
        problem = error
      }
    }
    if (isLost() || performance.now() >= endMs) throw notAnswering(where, windowMs, problem)
    const left = Math.max(1, endMs - performance.now())
    await new Promise((resolve) => void setTimeout(resolve, Math.min(waitMs, left)))
    waitMs = Math.min(longestMs, waitMs * 2)
  }
}

/** Whether the daemon answers now. */
export async function isHealthy(client: Client): Promise<boolean> {
  try {
    await client.health({ timeoutMs: healthTimeoutMs })
    return true
  } catch (error) {
    if (isLoopError(error, 'not-available')) return false
    throw error
  }
}

const notAnswering = (where: string, windowMs: number, cause: unknown): LoopError =>
  new LoopError(
    'not-available',
    `No daemon answered at ${where} within ${windowMs / 1000} s. Set its address with --addr or LOOPD_ADDR, ` +
      'and its token with --token or LOOPD_TOKEN. To see whether it runs: loopctl daemon status',
    { cause },
  )
