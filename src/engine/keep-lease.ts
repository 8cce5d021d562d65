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
      // At the same moments as all others of this process, so that they are written together.
      await ports.clock.sleep(renewMs - (ports.clock.now() % renewMs), stop.signal)
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
