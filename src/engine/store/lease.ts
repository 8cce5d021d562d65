/** The right to write to one run. The store compares owners and expiry; owners are opaque to it. */

import type { RunId } from '../../loop/index.ts'

/** Who holds a run: opaque to the store. Equal after a restart only if it is the same process. */
export type Owner = string

/** The right to write to one run. `fence` grows with each holder. */
export interface Lease {
  readonly run: RunId
  readonly owner: Owner
  readonly fence: number
}

/** How long a lease holds after it was taken or renewed. */
export const leaseTtlMs = 15_000

/**
 * What this machine knows about owners. A store that is opened without it waits for every lease to expire,
 * by the wall clock.
 */
export interface LocalOwners {
  /** True only if it is certain that the owner can write no more: its lease is free at once. */
  isDead(owner: Owner): boolean
  /** Whether its lease was taken since this machine was booted, so that the time since then counts. */
  isOfThisBoot(owner: Owner): boolean
  /** For messages, such as `process 4711`. Absent: it is called another process. */
  describe?(owner: Owner): string
}
