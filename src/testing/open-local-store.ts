/** A store as a host opens it: the death of a process of this machine is noticed immediately. */

import type { Store } from '../engine/index.ts'
import { openStore, type StoreOptions } from '../journal/index.ts'
import { localOwners } from '../system/index.ts'

export const openLocalStore = (options: StoreOptions): Store =>
  openStore({ owners: localOwners, ...options })
