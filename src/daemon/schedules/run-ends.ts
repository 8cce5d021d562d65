/**
 * The ends of runs, as schedules consume them. An end is a fact in the journal, not a message: nothing is lost if no process
 * looks in that moment.
 *
 * 1. Each schedule that follows runs has a cursor, saved with its state. An end behind the cursor was consumed, and one
 *    after it will be, by this process or, after a kill, by the next. Cursors in memory only save reading.
 * 2. The run of a schedule counts as ended until it was seen to go on, at a moment from which later ends are read.
 * 3. A run that is removed leaves no event: those that go on are looked at again every minute.
 */

import type { Entry, ScheduleBook } from './book.ts'
import { addEvents, cursorOf, findTriggers } from './rules/events.ts'
import type { RunEnd } from './rules/outcome.ts'
import type { EndedRun } from './rules/schedule.ts'

export interface RunEndsPorts {
  readonly book: ScheduleBook
  readonly now: () => number
  /** The runs whose ends are after a position of the journal, and up to which position it was read. Without: none. */
  findEnded(afterPosition: number | undefined): Promise<EndedRuns>
  /** Undefined: it has not ended. */
  findEnd(run: string): Promise<RunEnd | undefined>
}

export interface EndedRuns {
  readonly position: number
  readonly runs: readonly EndedRun[]
}

export interface RunEnds {
  /** Consumes what ended since the last time. Never called twice at the same time. */
  consume(): Promise<void>
  /** The run of its last tick has ended, and that is not recorded. */
  isOver(entry: Entry): boolean
}

const lookAgainMs = 60_000
/** A restart reads no more of the journal than this, whatever a schedule waits for. */
const savedEvery = 5000

export function createRunEnds({ book, now, findEnded, findEnd }: RunEndsPorts): RunEnds {
  /** Up to which position the ends of runs are known. Undefined: nothing was read yet. */
  let position: number | undefined
  /** By the id of the schedule. */
  let cursors: ReadonlyMap<string, number> = new Map()
  /** The runs that were seen to go on. */
  let goingOn: ReadonlySet<string> = new Set()
  let lookedAtMs = now()

  const followers = (): readonly Entry[] =>
    book.entries().filter(({ definition }) => definition.trigger.type === 'run')

  function firstPosition(): number | undefined {
    const ofFollowers = followers().map(
      ({ id, state }) => cursors.get(id) ?? cursorOf(state) ?? position ?? Infinity,
    )
    const first = Math.min(position ?? Infinity, ...ofFollowers)
    return first === Infinity ? undefined : first
  }

  async function addTo({ id, definition }: Entry, ended: EndedRuns): Promise<void> {
    const events = findTriggers({ definition }, ended.runs)
    const isPaused = book.settings().paused !== undefined
    await book.change(id, ({ state }) =>
      addEvents(state, events, {
        nowMs: now(),
        isPaused,
        position: ended.position,
        savedEvery,
      }),
    )
  }

  /** What is not known to go on, or was not looked at for long. */
  async function lookAtRunning(ended: EndedRuns): Promise<void> {
    const isOld = Math.abs(now() - lookedAtMs) >= lookAgainMs
    if (isOld) lookedAtMs = now()
    const over = new Set(ended.runs.map(({ run }) => run))
    const found = new Set<string>()
    for (const { state } of book.entries()) {
      if (state.running === undefined) continue
      const { run } = state.running
      if (over.has(run)) continue
      if ((goingOn.has(run) && !isOld) || (await findEnd(run)) === undefined) found.add(run)
    }
    goingOn = found
  }

  return {
    async consume() {
      const ended = await findEnded(firstPosition())
      for (const entry of followers()) await addTo(entry, ended)
      await lookAtRunning(ended)
      // Last: whatever fails before is read again.
      position = ended.position
      cursors = new Map(followers().map(({ id }) => [id, ended.position]))
    },
    isOver: ({ state: { running } }) => running !== undefined && !goingOn.has(running.run),
  }
}
