/** Waits until a daemon answers: a window of 5 s, looked into after 200 ms, 400 ms and so on. */

import { isLoopError, LoopError } from '../loop/index.ts'
import type { Client } from './client.ts'

export interface HealthWait {
  readonly windowMs?: number
  readonly firstMs?: number
  /** True when there is nothing to wait for any more. */
  isLost?(): boolean
}

const healthTimeoutMs = 2000
const longestMs = 1600

/** The client that answered. `open` may have none yet. */
export async function waitForHealth(
  open: () => Client | undefined,
  { windowMs = 5000, firstMs = 200, isLost = () => false }: HealthWait = {},
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
        // A wrong token stays wrong.
        if (isLoopError(error) && error.code !== 'not-available') throw error
        problem = error
      }
    }
    if (isLost() || performance.now() >= endMs) throw silent(where, windowMs, problem)
    const left = Math.max(1, endMs - performance.now())
    await new Promise((resolve) => void setTimeout(resolve, Math.min(waitMs, left)))
    waitMs = Math.min(longestMs, waitMs * 2)
  }
}

/** Whether it answers now. */
export async function isHealthy(client: Client): Promise<boolean> {
  try {
    await client.health({ timeoutMs: healthTimeoutMs })
    return true
  } catch (error) {
    if (isLoopError(error, 'not-available')) return false
    throw error
  }
}

const silent = (where: string, windowMs: number, cause: unknown): LoopError =>
  new LoopError(
    'not-available',
    `No daemon answers at ${where} after ${windowMs / 1000} s. Is it running (loopctl daemon status)? ` +
      'Its address is given by --addr or LOOPD_ADDR, its token by --token or LOOPD_TOKEN.',
    { cause },
  )
