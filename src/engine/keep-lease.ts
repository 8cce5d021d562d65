/** Keeps the lease of a run while it is driven. */

import { isLoopError } from '../loop/index.ts'
import type { Interrupter } from './interrupter.ts'
import type { Lease, Ports } from './ports.ts'

const renewMs = 5000

/** Renews the lease while steps run; a run that lost its lease stops. */
export function keepLease(ports: Ports, lease: Lease, interrupter: Interrupter): () => void {
  const stop = new AbortController()
  const renew = async (): Promise<void> => {
    while (true) {
      // At the same time as all others of this process, so that they share a commit.
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
