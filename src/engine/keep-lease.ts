/** Holds on to a run while it is driven. */

import { isLoopError } from '../loop/index.ts'
import type { Interrupter } from './interrupter.ts'
import type { Lease, Ports } from './ports.ts'

const renewMs = 5000

/** Renews the lease while steps take their time; a run that lost it stops. */
export function keepLease(ports: Ports, lease: Lease, interrupter: Interrupter): () => void {
  const stop = new AbortController()
  const renew = async (): Promise<void> => {
    while (true) {
      await ports.clock.sleep(renewMs, stop.signal)
      try {
        await ports.journal.renew(lease)
      } catch (error) {
        if (isLoopError(error, 'fenced')) return interrupter.abort('fenced')
      }
    }
  }
  renew().catch(() => undefined)
  return () => stop.abort()
}
