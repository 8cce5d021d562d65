/** The asynchronous port of what loops remember: each change is a separate transaction. */

import type { Memories } from '../../engine/index.ts'
import type { Database } from '../database.ts'
import { createMemoryTable } from './memory-table.ts'

interface MemoryParts {
  readonly database: Database
  readonly now: () => number
  reading<T>(work: () => T): Promise<T>
  transaction<T>(work: () => T): Promise<T>
}

export function createMemories({ database, now, reading, transaction }: MemoryParts): Memories {
  const table = createMemoryTable(database, now)
  return {
    add: (memory, limits) => transaction(() => table.add(memory, limits)),
    newest: (scope, limit) => reading(() => table.newest(scope, limit)),
    relevant: (scope, text, limit) => reading(() => table.relevant(scope, text, limit)),
    get: (id) => reading(() => table.get(id)),
    list: (filter) => reading(() => table.list(filter)),
    forget: (ids) => transaction(() => table.forget(ids)),
  }
}
