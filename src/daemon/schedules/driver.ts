/**
 * Drives schedules: finds what is due, starts runs, and records how they end. It has no timer and no clock: `step` does
 * everything that is due now, and `nextAtMs` says when there is something again.
 *
 * 1. E10. A tick starts at most one run, wherever the process is killed: the run is created with a key that is made of the
 *    schedule and the tick, and the tick stays due until its run is recorded.
 * 2. Ticks of one schedule are handled one after another, those of different ones a few at a time.
 * 3. What cannot be saved or started for a passing reason stays due, and is tried again later.
 */

import { textOf } from '../../loop/index.ts'
import { createConcurrencyLimit } from '../queue/concurrency-limit.ts'
import { retryAfterMs } from '../queue/setback.ts'
import type { Entry } from './book.ts'
import { handleTick, type TickPorts } from './handle-tick.ts'
import { align, dueAtMs } from './rules/due.ts'
import { addSight } from './rules/events.ts'
import { createRunEnds, type RunEnds, type RunEndsPorts } from './run-ends.ts'

export interface DriverPorts extends TickPorts, Pick<RunEndsPorts, 'findEnded'> {
  /** What it sees of what it watches. Undefined: nothing, now. */
  look(entry: Entry): Promise<string | undefined>
  onProblem(entry: Entry, text: string): void
}

export interface ScheduleDriver {
  /**
   * Everything that is due. Resolves when it is done; rejects if the schedules cannot be read. Never called twice at the
   * same time. What `handle` does meanwhile is left to the next step, which is due when that is done.
   */
  step(): Promise<void>
  /** Infinity: nothing until something changes. */
  nextAtMs(): number
  /** Handles one schedule, if something of it is due. */
  handle(id: string): Promise<void>
  /** Nothing more is started. Resolves when what was being done is done. */
  close(): Promise<void>
}

/** Creating a run starts processes and reads many files. */
const handledAtOnce = 4

export function createDriver(ports: DriverPorts): ScheduleDriver {
  const { book, now } = ports
  const ends = createRunEnds(ports)
  const work = createWork(ports, ends)
  const watching = createWatching(ports)

  return {
    handle: work.handle,
    close: work.close,
    async step() {
      await book.refresh()
      await ends.consume()
      await watching.look()
      const { resumedAtMs } = book.settings()
      const due = book.entries().filter((entry) => {
        const { state, rules } = entry
        // The clock went back, or all were paused.
        const isMoved = align(state, rules, now(), resumedAtMs) !== state
        return isMoved || (work.wakesAtMs(entry) ?? Infinity) <= now()
      })
      const idle = due.filter(({ id }) => !work.isBusy(id))
      await Promise.all(idle.map(({ id }) => work.handle(id)))
    },
    nextAtMs: () =>
      book
        .entries()
        .flatMap((entry) => (work.isBusy(entry.id) ? [] : (work.wakesAtMs(entry) ?? [])))
        .reduce((first, atMs) => Math.min(first, atMs), watching.nextAtMs()),
  }
}

interface Watching {
  /** At all of them, if that is due. */
  look(): Promise<void>
  nextAtMs(): number
}

const lookMs = 10_000

/** All are looked at together, so that many of them do not keep the process awake. */
function createWatching({ book, now, look }: DriverPorts): Watching {
  let lookedAtMs: number | undefined
  const watching = (): readonly Entry[] =>
    book.entries().filter(({ definition: { trigger } }) => isWatched(trigger))

  function nextAtMs(): number {
    // A clock that went back does not stop it.
    if (lookedAtMs === undefined || lookedAtMs > now()) return now()
    return lookedAtMs + lookMs
  }

  async function lookAt(entry: Entry): Promise<void> {
    const sight = await look(entry)
    if (sight === undefined || sight === entry.state.seen) return
    const isPaused = book.settings().paused !== undefined
    await book.change(entry.id, ({ state, revision }) =>
      state.seen === sight
        ? undefined
        : { state: addSight(state, { sight, tick: `change:${revision}`, nowMs: now(), isPaused }) },
    )
  }

  return {
    nextAtMs: () => (watching().length === 0 ? Infinity : nextAtMs()),
    async look() {
      if (nextAtMs() > now()) return
      lookedAtMs = now()
      for (const entry of watching()) await lookAt(entry)
    },
  }
}

const isWatched = ({ type }: Entry['definition']['trigger']): boolean =>
  type === 'file' || type === 'branch'

interface Work extends Pick<ScheduleDriver, 'handle' | 'close'> {
  isBusy(id: string): boolean
  /** When there is something to do for a schedule. */
  wakesAtMs(entry: Entry): number | undefined
}

interface Retry {
  readonly tries: number
  readonly atMs: number
}

const retryMs = 60_000
const retryMsMax = 600_000

function createWork(ports: DriverPorts, ends: RunEnds): Work {
  const { book, now } = ports
  const limit = createConcurrencyLimit(handledAtOnce)
  const pending = new Map<string, Promise<void>>()
  const retries = new Map<string, Retry>()
  let isClosed = false

  /** Never rejects. */
  async function attempt(id: string): Promise<void> {
    const entry = book.get(id)
    if (entry === undefined || isClosed) return
    const tries = retries.get(id)?.tries ?? 0
    try {
      await handleTick(ports, { id, tries, isClosed: () => isClosed })
      retries.delete(id)
    } catch (error) {
      retries.set(id, { tries: tries + 1, atMs: now() + (retryAfterMs(error, tries) ?? retryMs) })
      ports.onProblem(entry, textOf(error))
    }
  }

  return {
    isBusy: (id) => pending.has(id),
    handle(id) {
      const before = pending.get(id) ?? Promise.resolve()
      const done = before
        .then(() => limit.run(() => attempt(id)))
        .finally(() => {
          if (pending.get(id) === done) pending.delete(id)
        })
      pending.set(id, done)
      return done
    },
    wakesAtMs(entry) {
      const { id, state, rules } = entry
      const retry = retries.get(id)
      // A clock that went back meanwhile does not stop it.
      if (retry !== undefined) return retry.atMs - now() > retryMsMax ? now() : retry.atMs
      if (ends.isOver(entry)) return now()
      if (book.settings().paused !== undefined) return undefined
      const atMs = dueAtMs(state, rules, now())
      if (state.waiting === undefined || state.asked !== undefined) return atMs
      if (state.running !== undefined) return undefined
      return atMs === undefined ? undefined : Math.max(atMs, state.backOffToMs ?? 0)
    },
    async close() {
      isClosed = true
      await Promise.all(pending.values())
    },
  }
}
