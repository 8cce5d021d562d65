/**
 * Writes many units in one commit. Units that wait when the turn comes are written in one transaction,
 * each in a separate savepoint: a refused unit does not affect the others, and one fsync serves all.
 *
 * While another process has the journal locked, new units join the waiting ones.
 *
 * E1. A unit's promise resolves after the commit, in the order in which units were passed.
 */

import { LoopError } from '../loop/index.ts'
import type { Database } from './database.ts'
import { rollBack } from './schema.ts'
import { storeFailed } from './store-failures.ts'
import type { WriteTurns } from './write-turns.ts'

export interface GroupCommit {
  /**
   * `write` runs inside the transaction. If it throws, this unit is refused, and so are the later units of
   * the same series in this commit, since they depend on it. A series is what one holder of a run writes;
   * a refusal does not affect other holders.
   */
  add(series: string, write: () => void, manner?: Manner): Promise<void>
  /** Writes waiting units, immediately if the journal is not locked. */
  flush(): void
}

export interface Manner {
  /** Watchers of events need not be notified: there are no events. */
  readonly isQuiet?: boolean
}

interface Waiting extends Manner {
  readonly series: string
  readonly write: () => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function createGroupCommit(
  database: Database,
  turns: WriteTurns,
  schedule: (flush: () => void) => void,
  on: { readonly begin: () => void; readonly commit: () => void },
): GroupCommit {
  const commit = database.prepare('COMMIT')
  const writeAll = createBatchWriter(database)
  let waiting: Waiting[] = []

  function flush(): void {
    if (waiting.length > 0) turns.take(writeBatch, refuseBatch)
  }

  function refuseBatch(cause: unknown, batch = takeBatch()): void {
    const error = storeFailed(cause)
    for (const unit of batch) unit.reject(error)
  }

  function takeBatch(): readonly Waiting[] {
    const batch = waiting
    waiting = []
    return batch
  }

  function writeBatch(): void {
    const batch = takeBatch()
    let refused: Map<Waiting, unknown>
    try {
      on.begin()
      refused = writeAll(batch)
      commit.run()
    } catch (cause) {
      rollBack(database)
      refuseBatch(cause, batch)
      return
    }
    for (const unit of batch) {
      if (refused.has(unit)) unit.reject(refused.get(unit))
      else unit.resolve()
    }
    if (batch.some(({ isQuiet }) => isQuiet !== true)) on.commit()
  }

  return {
    add: (series, write, manner) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) schedule(flush)
        waiting.push({ series, write, resolve, reject, ...manner })
      }),
    flush,
  }
}

/** An error of a unit refuses it and the later ones of its series; an error of the store refuses all. */
function createBatchWriter(
  database: Database,
): (batch: readonly Waiting[]) => Map<Waiting, unknown> {
  const savepoint = database.prepare('SAVEPOINT unit')
  const release = database.prepare('RELEASE unit')
  return (batch) => {
    const refused = new Map<Waiting, unknown>()
    const [first] = batch
    // A series that is alone in a commit needs no savepoint.
    if (batch.every((unit) => unit.series === first?.series)) {
      for (const unit of batch) unit.write()
      return refused
    }
    const failed = new Map<string, unknown>()
    for (const unit of batch) {
      if (failed.has(unit.series)) {
        refused.set(unit, failed.get(unit.series))
        continue
      }
      savepoint.run()
      try {
        unit.write()
      } catch (error) {
        // A failure of the store affects every unit of this commit.
        if (!(error instanceof LoopError)) throw error
        database.exec('ROLLBACK TO unit')
        refused.set(unit, error)
        failed.set(unit.series, error)
      }
      release.run()
    }
    return refused
  }
}
