/**
 * The real driver of schedules on a store in memory, with a clock of its own, runs that are only written down, and a process
 * that can be killed between any two things that it does.
 */

import type { Entry } from '../../src/daemon/schedules/book.ts'
import { openBook } from '../../src/daemon/schedules/book.ts'
import { createDriver, type ScheduleDriver } from '../../src/daemon/schedules/driver.ts'
import type { RunEnd } from '../../src/daemon/schedules/rules/outcome.ts'
import type { Schedules } from '../../src/engine/index.ts'
import type { ScheduleTick } from '../../src/protocol/api/index.ts'

/** Where the process is killed while it handles a tick. */
export type KillPoint = 'before-create' | 'after-create' | 'after-record'

export interface SimulatedRun {
  readonly key: string
  readonly tick: string
  readonly atMs: number
  /** In real time, which the clock may differ from. */
  readonly endsAtMs: number
  readonly outcome: string
}

export interface World {
  /** Real time. */
  trueMs: number
  /** How far the clock is ahead of it. */
  skewMs: number
  readonly runs: Map<string, SimulatedRun>
  /** How long the run of a tick takes, and how it ends. */
  plan(tick: string): { readonly ms: number; readonly outcome: string }
  /** Asked once for each tick that is handled. */
  kill(): KillPoint | undefined
  readonly schedules: Schedules
}

export interface SimulatedDaemon {
  /** Everything that is due. False: it was killed meanwhile. */
  step(): Promise<boolean>
  nextAtMs(): number
}

export const wallMs = ({ trueMs, skewMs }: World): number => trueMs + skewMs

export async function startDaemon(world: World): Promise<SimulatedDaemon> {
  let isAlive = true
  let killed: (() => void) | undefined
  const death = new Promise<false>((resolve) => {
    killed = () => resolve(false)
  })
  /** What a dead process asks for is never answered. */
  const never = new Promise<never>(() => undefined)
  const die = (): Promise<never> => {
    isAlive = false
    killed?.()
    return never
  }
  let point: KillPoint | undefined
  const schedules: Schedules = {
    ...world.schedules,
    async update(id, change) {
      if (!isAlive) return never
      const [tick] = (change.ticks ?? []) as readonly { readonly body: unknown }[]
      const status = (tick?.body as ScheduleTick | undefined)?.status
      if (status === 'skipped') point = world.kill()
      if (status === 'skipped' && (point === 'before-create' || point === 'after-create')) {
        return die()
      }
      const row = await world.schedules.update(id, change)
      if (status !== 'ended' && status !== undefined && point === 'after-record') return die()
      return row
    },
  }
  const book = await openBook(schedules)
  let seen = 0
  const driver: ScheduleDriver = createDriver({
    book,
    now: () => wallMs(world),
    async begin(entry, due) {
      point = world.kill()
      if (point === 'before-create') return die()
      const run = createRun(world, entry, due.tick)
      if (point === 'after-create') return die()
      const { key, atMs } = run
      const reserved = { tokens: 0, costMicros: 0 }
      return { type: 'started', run: key, name: key, atMs, reserved }
    },
    findEnd: async (run) => endOf(world, run),
    async findEnded() {
      const before = seen
      seen = world.trueMs
      const ended = [...world.runs.values()].filter(
        ({ endsAtMs }) => endsAtMs > before && endsAtMs <= world.trueMs,
      )
      const runs = ended.map(({ key, tick, outcome }) => {
        return { run: key, loop: 'loop', outcome, position: 1, tick }
      })
      return { position: 1, runs }
    },
    look: async () => undefined,
    onTick: () => undefined,
    onAlert: () => undefined,
    onProblem(_entry, text) {
      throw new Error(text)
    },
  })
  return {
    step: () => Promise.race([driver.step().then(() => isAlive), death]),
    nextAtMs: driver.nextAtMs,
  }
}

function createRun(world: World, { id }: Pick<Entry, 'id'>, tick: string): SimulatedRun {
  const key = `${id}:${tick}`
  const known = world.runs.get(key)
  if (known !== undefined) return known
  const { ms, outcome } = world.plan(tick)
  const run = { key, tick, atMs: wallMs(world), endsAtMs: world.trueMs + ms, outcome }
  world.runs.set(key, run)
  return run
}

function endOf({ runs, trueMs }: World, key: string): RunEnd | undefined {
  const run = runs.get(key)
  return run === undefined || run.endsAtMs > trueMs ? undefined : { outcome: run.outcome }
}
