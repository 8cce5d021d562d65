/** What outlives every process of a simulation: time, the disk, and what was done outside. */

import type { Blobs, Lease, LocalOwners, Topic, Unit } from '#src/engine/index.ts'
import { type Database, openDatabase } from '#src/journal/index.ts'
import type { CertificateId, RunId, TreeId } from '#src/loop/index.ts'
import { memoryBlobs } from '#src/testing/memory-blobs.ts'
import type { SeededRandom } from '#src/testing/seeded-random.ts'
import { createSimulatedTime, type Lane, type SimulatedTime } from '#src/testing/simulated-time.ts'
import type { SimulatedTrees } from './simulated-files.ts'

export interface SimulatedWorld {
  readonly random: SeededRandom
  readonly time: SimulatedTime
  readonly database: Database
  /** Knows which owners are dead. */
  readonly owners: LocalOwners
  readonly blobs: Blobs
  readonly trees: SimulatedTrees
  /** The process that took a run last. */
  readonly holders: ReadonlyMap<RunId, Lane>
  /** How many transactions were committed. */
  commits: number
  /** How often a step of a run met its trouble. */
  readonly troubles: Map<string, number>
  /** Keys of actions that were really done. */
  readonly done: Set<string>
  /** The files, or the lack of them, that a certificate was really made for. */
  readonly issued: Map<CertificateId, TreeId | undefined>
  /** How often each was done. */
  readonly performed: Map<string, number>
  latencyMs(): number
  /** A moment of a process in which others may act. */
  hop(lane: Lane): Promise<void>
  /** What the operating system does for a process that died in a transaction. */
  rollBack(): void
  /** From now on everybody can see that the owner of a lease is dead. */
  bury(owner: string): void
  watch: (topic: Topic, lane: Lane, onChange: () => void) => () => void
  changed(topic: Topic, from: Lane): void
  /** A process holds a run now. */
  took(lease: Lease, lane: Lane): void
  /** A unit was acknowledged. */
  wrote: (lease: Lease, unit: Unit) => void
}

export interface WorldOptions {
  readonly wrote: SimulatedWorld['wrote']
  /** Somebody took the run whose lease was this one. */
  readonly taken: (from: Lease, by: Lane) => void
}

interface Listener {
  readonly topic: Topic
  readonly lane: Lane
  readonly onChange: () => void
}

/** Others learn of a change when they look next. */
const noticeMsMax = 100

export function createSimulatedWorld(
  random: SeededRandom,
  { wrote, taken }: WorldOptions,
): SimulatedWorld {
  const time = createSimulatedTime(random.split())
  const database = keepStatements(openDatabase(':memory:', 'NORMAL'))
  const dead = new Set<string>()
  const listeners = new Set<Listener>()
  const holders = new Map<RunId, Lane>()
  const leases = new Map<RunId, Lease>()
  const latencyMs = (): number => (random.chance(0.85) ? 0 : random.between(1, 20))
  return {
    random,
    time,
    database,
    owners: { isDead: (owner) => dead.has(owner), isOfThisBoot: () => false },
    blobs: memoryBlobs(),
    trees: new Map(),
    holders,
    commits: 0,
    troubles: new Map(),
    done: new Set(),
    issued: new Map(),
    performed: new Map(),
    latencyMs,
    hop: (lane) =>
      new Promise((resolve) => {
        time.post(lane, latencyMs(), resolve)
      }),
    rollBack() {
      try {
        database.exec('ROLLBACK')
      } catch {
        // It died between transactions.
      }
    },
    bury(owner) {
      dead.add(owner)
    },
    watch(topic, lane, onChange) {
      const listener = { topic, lane, onChange }
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    changed(topic, from) {
      for (const listener of listeners) {
        if (listener.topic !== topic) continue
        const ms = listener.lane === from ? 0 : random.between(0, noticeMsMax)
        time.post(listener.lane, ms, () => {
          if (listeners.has(listener)) listener.onChange()
        })
      }
    },
    took(lease, lane) {
      const last = leases.get(lease.run)
      if (last !== undefined) taken(last, lane)
      leases.set(lease.run, lease)
      holders.set(lease.run, lane)
    },
    wrote,
  }
}

/** Processes come and go on one connection; what one of them prepared serves the next. */
function keepStatements(database: Database): Database {
  const prepared = new Map<string, ReturnType<Database['prepare']>>()
  const isTransaction = new Set(['BEGIN IMMEDIATE', 'COMMIT'])
  function prepare(sql: string): ReturnType<Database['prepare']> {
    const known = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, known)
    return known
  }
  return {
    exec(sql) {
      if (isTransaction.has(sql)) prepare(sql).run()
      else database.exec(sql)
    },
    prepare,
    close: () => database.close(),
  }
}
