/** The methods of a store that change something: each resolves when the change is on disk. */

import type { Lease, Owner, Store } from '../engine/index.ts'
import { defined, type RunId } from '../loop/index.ts'
import type { Database } from './database.ts'
import { createMemories } from './memory/memories.ts'
import { createMergeQueue } from './merges/merge-queue.ts'
import { createRemoval } from './remove-run.ts'
import { createRunFacts } from './run-facts.ts'
import { createRunQueue } from './run-queue.ts'
import { createSchedules } from './schedules.ts'
import { rollBack } from './schema.ts'
import { storeFailed } from './store-failures.ts'
import type { StoreParts } from './store-parts.ts'
import { createTrust } from './trust/trust.ts'
import { createUnitWriter } from './unit-writer.ts'

type Write =
  | 'acquire'
  | 'acquireIdle'
  | 'renew'
  | 'release'
  | 'createRun'
  | 'append'
  | 'recordDecision'
  | 'removeRun'
  | 'forgetTried'
  | 'setFact'
  | 'queue'
  | 'merges'
  | 'memory'
  | 'trust'
  | 'schedules'

export function createStoreWrites(parts: StoreParts): Pick<Store, Write> {
  const { database, runs, leases, decisions, group, watch, now } = parts
  const writer = createUnitWriter(database)
  const removal = createRemoval(database, leases.requireFree)
  const transaction = createTransaction(parts)
  const acquire = (run: RunId, owner: Owner, toWork: boolean): Promise<Lease> =>
    transaction(() => {
      // Looked up again, and then cached as long as the lease is held.
      runs.forget(run)
      const key = runs.heldKey(run)
      writer.forget(key)
      if (toWork) leases.requireWorkspace(key)
      return leases.take(key, run, owner)
    })
  return {
    createRun: async (run) => {
      await transaction(() => runs.insert(run))
      watch.notify('events')
    },
    acquire: (run, owner) => acquire(run, owner, true),
    acquireIdle: (run, owner) => acquire(run, owner, false),
    // Leases of many runs are renewed at the same time, and share a commit.
    async renew(lease) {
      const key = guarded(() => runs.heldKey(lease.run))
      await group.add(seriesOf(lease), () => leases.verify(key, lease), { isQuiet: true })
    },
    release: (lease) => transaction(() => leases.drop(runs.heldKey(lease.run), lease)),
    async append(lease, unit) {
      const key = guarded(() => runs.heldKey(lease.run))
      await group.add(seriesOf(lease), () => {
        leases.verify(key, lease)
        writer.write(key, unit, decisions.markApplied)
      })
    },
    recordDecision: async (run, decision, by, atMs, claimedBy) => {
      const stored = await transaction(() =>
        decisions.insert(runs.key(run), { decision, by, atMs, ...defined({ claimedBy }) }),
      )
      watch.notify('decisions')
      return stored
    },
    removeRun: async (run, options = {}) => {
      await transaction(() => {
        const key = runs.key(run)
        removal.remove(key, options)
        writer.forget(key)
      })
      runs.forget(run)
      watch.notify('events')
    },
    setFact: (run, name, fact) =>
      transaction(() => createRunFacts(database).set(runs.key(run), name, fact)),
    forgetTried: (run) => transaction(() => forgetTried(database, run && runs.key(run))),
    queue: createRunQueue({ ...parts, now: () => now().wallMs, transaction }),
    merges: createMergeQueue({ ...parts, transaction }),
    trust: createTrust({ ...parts, transaction }),
    memory: createMemories({ ...parts, now: () => now().wallMs, transaction }),
    schedules: createSchedules({
      ...parts,
      async transaction(work) {
        const result = await transaction(work)
        watch.notify('events')
        return result
      },
    }),
  }
}

function createTransaction({
  database,
  leases,
  turns,
}: StoreParts): <T>(work: () => T) => Promise<T> {
  return (work) =>
    new Promise((resolve, reject) => {
      const refuse = (cause: unknown): void => reject(storeFailed(cause))
      turns.take(() => {
        try {
          leases.begin()
          const result = work()
          database.exec('COMMIT')
          resolve(result)
        } catch (cause) {
          rollBack(database)
          refuse(cause)
        }
      }, refuse)
    })
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw storeFailed(cause)
  }
}

function forgetTried(database: Database, key: number | undefined): number {
  const { changes } =
    key === undefined
      ? database.prepare('DELETE FROM tried').run()
      : database.prepare('DELETE FROM tried WHERE run = ?').run(key)
  return Number(changes)
}

/** Identifies what one holder of a run writes. */
const seriesOf = ({ run, fence }: Lease): string => `${run}/${fence}`
