/** The queue as the journal offers it: each change is a transaction of its own, and then on disk. */

import type { NewRun } from '../engine/index.ts'
import { LoopError, type RunId } from '../loop/index.ts'
import type { KnownRequest, NewQueueRow, QueueRow, QueueTable, RequestKey } from './queue-table.ts'
import type { RunTable } from './run-table.ts'
import type { Watch } from './watch.ts'

export interface RunQueue {
  /** Q1. Rejects with `key-reused` when the key made a run already. */
  create(run: NewRun, row: NewQueueRow, request?: RequestKey): Promise<void>
  put(run: RunId, row: NewQueueRow): Promise<void>
  remove(run: RunId): Promise<void>
  /** Undefined: nobody is to drive it. Rejects with `unknown-run`. */
  row(run: RunId): Promise<QueueRow | undefined>
  /** The oldest first. */
  list(): Promise<readonly QueueRow[]>
  /** Those of which nobody has said that they are not to be driven: they have not ended or been paused. */
  open(): Promise<readonly RunId[]>
  /** What was made by this key. */
  request(key: string): Promise<KnownRequest | undefined>
}

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
          throw keyReused(request.key)
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

export const keyReused = (key: string): LoopError =>
  new LoopError(
    'key-reused',
    `The key ${JSON.stringify(key)} was used for another request. Give each new request a key of its own.`,
  )
