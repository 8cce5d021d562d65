/** The asynchronous port of levels: each change is a separate transaction. */

import type { Trust } from '../../engine/index.ts'
import type { Database } from '../database.ts'
import { createTrustTable } from './trust-table.ts'

interface TrustParts {
  readonly database: Database
  reading<T>(work: () => T): Promise<T>
  transaction<T>(work: () => T): Promise<T>
}

export function createTrust({ database, reading, transaction }: TrustParts): Trust {
  const table = createTrustTable(database)
  return {
    record: (change) => transaction(() => table.record(change)),
    current: (scope) => reading(() => table.current(scope)),
    changes: (filter) => reading(() => table.changes(filter)),
  }
}
