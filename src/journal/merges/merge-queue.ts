/** The asynchronous port of the merge queue: each change is a separate transaction, and on disk when it resolves. */

import type { MergeQueue } from '../../engine/index.ts'
import type { RunTable } from '../run-table.ts'
import type { MergeTable } from './merge-table.ts'

export interface MergeQueueParts {
  readonly runs: RunTable
  readonly merges: MergeTable
  reading<T>(work: () => T): Promise<T>
  transaction<T>(work: () => T): Promise<T>
}

export function createMergeQueue(parts: MergeQueueParts): MergeQueue {
  const { runs, merges, reading, transaction } = parts
  return {
    add: (request) => transaction(() => merges.add(runs.key(request.run), request)),
    row: (key) => reading(() => merges.row(key)),
    open: (line) => reading(() => merges.open(line)),
    listOpen: () => reading(() => merges.listOpen()),
    listNewest: (limit) => reading(() => merges.listNewest(limit)),
    ofRun: (run) => reading(() => merges.ofRun(runs.key(run))),
    landed: (line, limit) => reading(() => merges.landed(line, limit)),
    isHeld: (line) => reading(() => merges.isHeld(line)),
    acquire: (line, owner) => transaction(() => merges.take(line, owner)),
    renew: (lease) => transaction(() => merges.verify(lease)),
    release: (lease) => transaction(() => merges.drop(lease)),
    update: (lease, changes) =>
      transaction(() => {
        merges.verify(lease)
        for (const change of changes) merges.change(change)
      }),
  }
}
