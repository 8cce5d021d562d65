/**
 * A process that can be killed, frozen and woken at any moment, also in the middle of a statement.
 *
 * What a dead process still does in memory reaches nobody: its calls are never answered and change
 * nothing. A unit that waited for its commit is lost, and an open transaction is rolled back.
 * A frozen process does nothing until it is woken; by then another may hold its runs.
 */

import type { Clock, Store } from '#src/engine/index.ts'
import { openStore } from '#src/journal/index.ts'
import { LoopError, type RunId } from '#src/loop/index.ts'
import type { Lane } from '#src/testing/simulated-time.ts'
import { diskError, type StatementWatch, watchDatabase } from '#src/testing/watched-database.ts'
import { simulatedStore } from './simulated-store.ts'
import type { SimulatedWorld } from './simulated-world.ts'

/** Something that goes wrong after so many more calls of its kind. */
export interface Mishap {
  readonly at: 'statement' | 'port' | 'action'
  after: number
  readonly what: 'crash' | 'error'
  /** Before or after the statement or the action took effect. */
  readonly when: 'before' | 'after'
  /** After a crash: whether others can tell that it is dead, or must wait for its lease. */
  readonly noticed: boolean
}

export interface SimulatedProcess {
  readonly lane: Lane
  readonly clock: Clock
  readonly journal: Store
  /** What is going to happen to it. */
  readonly mishaps: Mishap[]
  /** How many calls failed because they were made to. */
  readonly failures: number
  /** Resolves when nothing more is to be expected of it: it was killed, or frozen. */
  readonly gone: Promise<'crashed' | 'frozen'>
  newOwner(): string
  crash(noticed: boolean): void
  freeze(): void
  thaw(): void
  /** A call to the world outside: it takes a moment, may fail, and may be the last. */
  moment(what: string, code: 'store-failed' | 'workspace-failed'): Promise<void>
  /** Just before and just after an action is done: that may be as far as it comes. */
  acts(when: Mishap['when']): Promise<void>
  /**
   * Whether its writes to the workspace of a run count. A process that lost its lease is taken to
   * leave files alone: nothing but the operating system could make it.
   */
  mayWrite(run: RunId): boolean
}

const never = new Promise<never>(() => undefined)

class Crash extends Error {
  override readonly name = 'Crash'
}

export function createSimulatedProcess(world: SimulatedWorld, name: string): SimulatedProcess {
  const lane: Lane = { name, state: 'running' }
  const owners: string[] = []
  let leave: (how: 'crashed' | 'frozen') => void = () => undefined
  const gone = new Promise<'crashed' | 'frozen'>((resolve) => {
    leave = resolve
  })

  function crash(noticed: boolean): void {
    if (lane.state === 'dead') return
    lane.state = 'dead'
    world.rollBack()
    if (noticed) for (const owner of owners) world.bury(owner)
    leave('crashed')
  }

  const fate = createFate(crash)
  const inner = openStore({
    path: ':memory:',
    database: watchDatabase(world.database, statementWatch(lane, fate, world)),
    owners: world.owners,
    now: () => world.time.nowMs,
    schedule: (flush) => {
      world.time.post(lane, world.latencyMs(), flush)
    },
  })
  return {
    lane,
    clock: world.time.clockOf(lane),
    journal: simulatedStore(inner, lane, world),
    mishaps: fate.mishaps,
    get failures() {
      return fate.failures
    },
    gone,
    newOwner() {
      const owner = `simulated|-|${name}|0|${owners.length}`
      owners.push(owner)
      return owner
    },
    crash,
    freeze() {
      if (lane.state !== 'running') return
      lane.state = 'frozen'
      leave('frozen')
    },
    thaw() {
      if (lane.state === 'frozen') lane.state = 'running'
    },
    async moment(what, code) {
      await world.hop(lane)
      const mishap = fate.due('port')
      if (mishap === undefined) return
      try {
        fate.suffer(mishap, what)
      } catch (cause) {
        if (cause instanceof Crash) await never
        throw new LoopError(code, `The disk failed: ${what}`, { cause })
      }
    },
    async acts(when) {
      if (fate.due('action', when) === undefined) return
      crash(true)
      await never
    },
    mayWrite: (run) => lane.state === 'running' && world.holders.get(run) === lane,
  }
}

interface Fate {
  readonly mishaps: Mishap[]
  readonly failures: number
  /** Counts down, and says which mishap's turn it is. */
  due(at: Mishap['at'], when?: Mishap['when']): Mishap | undefined
  suffer(mishap: Mishap, what: string): never
}

function createFate(crash: (noticed: boolean) => void): Fate {
  const mishaps: Mishap[] = []
  let failures = 0
  return {
    mishaps,
    get failures() {
      return failures
    },
    due(at, when) {
      const index = mishaps.findIndex(
        (mishap) =>
          mishap.at === at && (when ?? mishap.when) === mishap.when && mishap.after-- <= 0,
      )
      return index < 0 ? undefined : mishaps.splice(index, 1)[0]
    },
    suffer(mishap, what) {
      if (mishap.what === 'error') {
        failures++
        throw diskError('EIO', what)
      }
      crash(mishap.noticed)
      throw new Crash()
    },
  }
}

function statementWatch(lane: Lane, fate: Fate, world: SimulatedWorld): StatementWatch {
  let after: Mishap | undefined
  return {
    before(sql) {
      if (lane.state === 'dead') throw new Crash()
      // SQLite ends a transaction that it cannot roll back.
      if (sql.startsWith('ROLLBACK') || fate.mishaps.length === 0) return
      const mishap = fate.due('statement')
      if (mishap?.when === 'before') fate.suffer(mishap, sql)
      after = mishap
    },
    after(sql) {
      if (sql === 'COMMIT') world.commits++
      const mishap = after
      after = undefined
      if (mishap === undefined) return
      // An error means that nothing was kept; after a commit it would be a lie.
      if (mishap.what === 'error' && sql === 'COMMIT') return
      fate.suffer(mishap, sql)
    },
  }
}
