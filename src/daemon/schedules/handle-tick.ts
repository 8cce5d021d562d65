/** Handles what is due of one schedule: records how its run ended, then starts the next one, or records why not. */

import { isLoopError, textOf } from '../../loop/index.ts'
import { retryAfterMs } from '../queue/setback.ts'
import type { Entry, ScheduleBook } from './book.ts'
import { align, consume, findDue } from './rules/due.ts'
import { findHindrance, isWaitedFor } from './rules/hindrance.ts'
import {
  type Recorded,
  type RunEnd,
  recordEnd,
  recordFailure,
  recordSkip,
  recordStart,
} from './rules/outcome.ts'
import type { Due, RunningTick, Skip } from './rules/schedule.ts'

export interface TickPorts {
  readonly book: ScheduleBook
  readonly now: () => number
  /** Creates the run of a tick, or returns the one that was created for it. Rejects if there can be none. */
  begin(entry: Entry, due: Due, others: readonly Entry[]): Promise<Begun>
  /** Undefined: it has not ended. */
  findEnd(run: string): Promise<RunEnd | undefined>
  onTick(entry: Entry, recorded: Recorded): void
  onAlert(entry: Entry, text: string): void
}

export type Begun =
  | ({ readonly type: 'started' } & Omit<RunningTick, 'tick' | 'missed'>)
  | ({ readonly type: 'skipped' } & Skip)

interface Failed {
  readonly type: 'failed'
  readonly reason: string
}

export interface HandleOptions {
  readonly id: string
  /** How often it failed for a passing reason. */
  readonly tries: number
  isClosed(): boolean
}

/** Rejects for passing reasons only: then the tick is still due. */
export async function handleTick(ports: TickPorts, options: HandleOptions): Promise<void> {
  const { book, now } = ports
  const { id, isClosed } = options
  await recordItsEnd(ports, id)
  const { resumedAtMs, paused } = book.settings()
  const entry = await book.change(id, ({ state, rules }) => {
    const aligned = align(state, rules, now(), resumedAtMs)
    return aligned === state ? undefined : { state: aligned }
  })
  if (entry === undefined || isClosed() || paused !== undefined) return
  const dueMs = now()
  const due = findDue(entry.state, entry.rules, dueMs)
  if (due === undefined) return
  const hindrance = findHindrance(entry.state, due, dueMs)
  if (hindrance !== undefined && isWaitedFor(hindrance, due)) return
  const begun =
    hindrance === undefined
      ? await begin(ports, entry, due, options)
      : { type: 'skipped' as const, ...hindrance }
  await apply(ports, id, (current) => recordTick(current, due, begun, { dueMs, nowMs: now() }))
}

async function begin(
  { begin: start, book }: TickPorts,
  entry: Entry,
  due: Due,
  { tries, isClosed }: HandleOptions,
): Promise<Begun | Failed> {
  try {
    return await start(entry, due, book.entries())
  } catch (error) {
    const isClosing = isLoopError(error, 'not-available') && isClosed()
    if (isClosing || retryAfterMs(error, tries) !== undefined) throw error
    // What a file would do is shown only when the user is asked to trust it.
    return { type: 'failed', reason: textOf(error).split('\n', 1)[0] ?? '' }
  }
}

/** Moments that pass while a run is created are due after it. */
function recordTick(
  { state: before, definition, rules }: Entry,
  due: Due,
  begun: Begun | Failed,
  { dueMs, nowMs }: { readonly dueMs: number; readonly nowMs: number },
): Recorded {
  switch (begun.type) {
    case 'failed': {
      const state = consume(before, due, rules, dueMs)
      return recordFailure(state, definition, due, { reason: begun.reason, nowMs })
    }
    case 'skipped': {
      const state = consume(before, due, rules, dueMs)
      return recordSkip(state, definition, due, { code: begun.code, reason: begun.reason })
    }
    case 'started': {
      const { type: _type, ...started } = begun
      // A run that was created before a crash stands for no moment after it.
      const handledMs = Math.min(dueMs, Math.max(begun.atMs, due.atMs))
      const missed =
        due.kind === 'time' ? (rules.timetable?.count(due.atMs, handledMs) ?? 0) : due.missed
      const state = consume(before, due, rules, handledMs)
      const running = { ...started, tick: due.tick, ...(missed > 0 ? { missed } : {}) }
      return recordStart(state, definition, { ...due, missed }, running)
    }
  }
}

async function recordItsEnd(ports: TickPorts, id: string): Promise<void> {
  const running = ports.book.get(id)?.state.running
  if (running === undefined) return
  const end = await ports.findEnd(running.run)
  if (end === undefined) return
  await apply(ports, id, ({ state, definition }) =>
    state.running?.run === running.run
      ? recordEnd(state, definition, running, end, ports.now())
      : undefined,
  )
}

async function apply(
  { book, onTick, onAlert }: TickPorts,
  id: string,
  change: (entry: Entry) => Recorded | undefined,
): Promise<void> {
  let recorded: Recorded | undefined
  const entry = await book.change(id, (current) => {
    recorded = change(current)
    return recorded
  })
  if (entry === undefined || recorded === undefined) return
  onTick(entry, recorded)
  if (recorded.alert !== undefined) onAlert(entry, recorded.alert)
}
