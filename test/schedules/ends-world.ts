/**
 * Schedules that follow each other's runs, on the real driver: every call of a port is a moment in which runs may end, the
 * process may be killed, or another request may be handled. A seed decides.
 */

import { addEntry, openBook, toRules } from '../../src/daemon/schedules/book.ts'
import { createDriver, type ScheduleDriver } from '../../src/daemon/schedules/driver.ts'
import { firstState } from '../../src/daemon/schedules/rules/due.ts'
import { tickAfter } from '../../src/daemon/schedules/rules/events.ts'
import type { EndedRun } from '../../src/daemon/schedules/rules/schedule.ts'
import type { Schedules } from '../../src/engine/index.ts'
import { createMemoryStore } from '../../src/testing/index.ts'
import type { SeededRandom } from '../../src/testing/seeded-random.ts'
import { scheduleFor } from './simulate.ts'

export interface StartedRun {
  readonly key: string
  readonly tick: string
  readonly loop: string
  /** Of the world: grows with everything that happens. */
  readonly startedAt: number
}

export interface Ended extends EndedRun {
  readonly endedAt: number
}

export interface EndsWorld {
  readonly runs: ReadonlyMap<string, StartedRun>
  readonly ends: readonly Ended[]
  readonly schedules: Schedules
  readonly kills: number
  /** A schedule named `name`, whose runs are of a loop of that name. */
  follow(name: string, loop: string): Promise<void>
  /** One step of the driver; a new process starts after a kill. */
  step(): Promise<void>
  /** As a request of a user does, at the same time as steps. */
  handle(name: string): Promise<void>
  /** A run of a loop that no schedule starts. */
  endOutside(loop: string): void
  endAny(): void
  kill(): void
  /** Nothing happens by itself any more: all runs end, and everything is handled. False: it never comes to rest. */
  settle(): Promise<boolean>
  close(): Promise<void>
}

export interface EndsOptions {
  readonly random: SeededRandom
  /** How likely it is that something happens at a moment. */
  readonly trouble: number
}

const stepsMax = 200

/** What survives a kill, and what happens by itself. */
interface Facts {
  readonly runs: Map<string, StartedRun>
  readonly ends: Ended[]
  /** Grows with everything that happens; clock and position of the journal. */
  now(): number
  pass(): void
  hasEnded(run: string): boolean
  endAny(): void
  endOutside(loop: string): void
}

function createFacts(random: SeededRandom): Facts {
  const runs = new Map<string, StartedRun>()
  const ends: Ended[] = []
  let at = 0
  const hasEnded = (run: string): boolean => ends.some((one) => one.run === run)
  function end(run: string, loop: string, started: string | undefined): void {
    at += 1
    const tick = tickAfter(run, started)
    ends.push({ run, loop, outcome: 'completed', position: at, endedAt: at, tick })
  }
  return {
    runs,
    ends,
    now: () => at,
    pass() {
      at += 1
    },
    hasEnded,
    endAny() {
      const going = [...runs.values()].filter(({ key }) => !hasEnded(key))
      if (going.length === 0) return
      const { key, loop, tick } = random.pick(going)
      end(key, loop, tick)
    },
    endOutside: (loop) => end(`outside-${ends.length}`, loop, undefined),
  }
}

type Around = <Arguments extends readonly unknown[], Result>(
  call: (...given: Arguments) => Promise<Result>,
) => (...given: Arguments) => Promise<Result>

/** A process: `around` puts a moment before and after a call. */
async function startProcess(
  { runs, ends, now, hasEnded }: Facts,
  schedules: Schedules,
  around: Around,
): Promise<ScheduleDriver> {
  const book = await openBook({
    ...schedules,
    update: around(schedules.update),
    list: around(schedules.list),
    changes: around(schedules.changes),
  })
  return createDriver({
    book,
    now,
    begin: around(async (entry, { tick }) => {
      const key = `${entry.id}:${tick}`
      const run = runs.get(key) ?? { key, tick, loop: entry.name, startedAt: now() }
      runs.set(key, run)
      const reserved = { tokens: 0, costMicros: 0 }
      return { type: 'started', run: key, name: key, atMs: run.startedAt, reserved }
    }),
    findEnd: around(async (run) => (hasEnded(run) ? { outcome: 'completed' } : undefined)),
    findEnded: around(async (after) => ({
      position: now(),
      runs: ends.filter(({ position }) => position > (after ?? Infinity)),
    })),
    look: async () => undefined,
    onTick: () => undefined,
    onAlert: () => undefined,
    onProblem(_entry, text) {
      throw new Error(text)
    },
  })
}

export function createEndsWorld({ random, trouble }: EndsOptions): EndsWorld {
  const store = createMemoryStore()
  const facts = createFacts(random)
  const { now, endAny, endOutside } = facts
  const processes = createProcesses(facts, store.schedules, { random, trouble })
  return {
    runs: facts.runs,
    ends: facts.ends,
    schedules: store.schedules,
    get kills() {
      return processes.kills()
    },
    kill: processes.kill,
    endAny,
    endOutside,
    async follow(name, loop) {
      const trigger = { type: 'run', loop, outcomes: [] } as const
      const definition = { ...scheduleFor({ cadence: '@daily', timeZone: 'UTC' }), trigger }
      const nowMs = now()
      const rules = toRules(definition, nowMs)
      const state = { ...firstState(rules, { nowMs, fromNext: true }), seen: String(nowMs) }
      await addEntry(store.schedules, { name, definition, state, createdAtMs: nowMs })
    },
    step: () => processes.use((one) => one.step()),
    async handle(name) {
      const { id } = await store.schedules.find(name)
      await processes.use((one) => one.handle(id))
    },
    async settle() {
      processes.calm()
      for (let steps = 1; steps <= stepsMax; steps++) {
        let nextAtMs = 0
        await processes.use(async (one) => {
          await one.step()
          nextAtMs = one.nextAtMs()
        })
        facts.pass()
        const goOn = [...facts.runs.keys()].some((run) => !facts.hasEnded(run))
        if (goOn) endAny()
        else if (nextAtMs === Infinity) return true
      }
      return false
    },
    close: () => store.close(),
  }
}

interface Processes {
  /** Resolves when it is done, or its process was killed. */
  use(work: (driver: ScheduleDriver) => Promise<void>): Promise<void>
  kill(): void
  kills(): number
  /** Nothing happens by itself any more. */
  calm(): void
}

function createProcesses(
  facts: Facts,
  schedules: Schedules,
  { random, trouble }: EndsOptions,
): Processes {
  let current = 0
  let isCalm = false
  let driver: Promise<ScheduleDriver> | undefined
  const deaths: (() => void)[] = []

  function kill(): void {
    current += 1
    driver = undefined
    for (const notice of deaths.splice(0)) notice()
  }

  /** Between any two things that the driver does. What a dead process asks for is never answered. */
  async function moment(mine: number): Promise<void> {
    facts.pass()
    for (let turns = random.between(1, 4); turns > 0; turns--) await Promise.resolve()
    if (!isCalm && random.chance(trouble)) {
      random.pick([facts.endAny, () => facts.endOutside('outside')])()
    }
    if (!isCalm && mine === current && random.chance(trouble / 10)) kill()
    if (mine !== current) await new Promise<never>(() => undefined)
  }

  function start(): Promise<ScheduleDriver> {
    const mine = current
    return startProcess(facts, schedules, (call) => async (...given) => {
      await moment(mine)
      const result = await call(...given)
      await moment(mine)
      return result
    })
  }

  return {
    kill,
    kills: () => current,
    calm() {
      isCalm = true
    },
    async use(work) {
      const death = new Promise<void>((resolve) => void deaths.push(resolve))
      driver ??= start()
      await Promise.race([driver.then(work), death])
    },
  }
}
