/** How a store is opened. */

import type { LocalOwners } from '../engine/index.ts'
import type { Database, Synchronous } from './database.ts'

export interface StoreOptions {
  /** The file, or `:memory:`. */
  readonly path: string
  readonly synchronous?: Synchronous
  /** What this machine knows about owners of leases. Absent: every lease is kept until it expires. */
  readonly owners?: LocalOwners
  /** The wall clock. If only this one is given, it is also used instead of `uptime`. */
  readonly now?: () => number
  /** Milliseconds since the machine was booted. */
  readonly uptime?: () => number
  /** When to write waiting units. Default: the next turn of the event loop. */
  readonly schedule?: (flush: () => void) => void
  /** How long a process waits for another that has the journal locked. Default: a minute. */
  readonly patienceMs?: number
  /** An open database instead of a path, for tests that make calls fail. */
  readonly database?: Database
}
