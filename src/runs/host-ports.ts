/** What all runs of a host share. */

import type { BlobStore, Clock, Store } from '../engine/index.ts'

export interface HostPorts {
  /** The state folder. */
  readonly folder: string
  readonly journal: Store
  readonly blobs: BlobStore
  readonly clock: Clock
}
