/** The asynchronous queue port: each change is a separate transaction, and on disk when it resolves. */

import { type RunQueue, storeErrors } from '../engine/index.ts'
import type { QueueTable } from './queue-table.ts'
import type { RunTable } from './run-table.ts'
import type { Watch } from './watch.ts'

export interface QueueParts {
  readonly runs: RunTable
  readonly queue: QueueTable
  readonly watch: Watch
  readonly now: () => number
  reading<T>(work: () => T): Promise<T>
  transaction<T>(work: () => T): Promise<T>
}

export function createRunQueue(parts: QueueParts): RunQueue {
  const { runs, queue, watch, now, reading, transaction } = parts
  return {
    async create(run, row, request) {
      await transaction(() => {
        if (request !== undefined && queue.request(request.key, now()) !== undefined) {
          throw storeErrors.keyReused(request.key)
        }
        runs.insert(run)
        const key = runs.key(run.id)
        queue.put(key, row)
        if (request !== undefined) queue.remember(key, request, now())
      })
      watch.notify('events')
    },
    put: (run, row) => transaction(() => queue.put(runs.key(run), row)),
    remove: (run) => transaction(() => queue.remove(runs.key(run))),
    row: (run) => reading(() => queue.row(runs.key(run))),
    list: () => reading(() => queue.list()),
    open: () => reading(() => queue.open()),
    request: (key) => reading(() => queue.request(key, now())),
  }
}
