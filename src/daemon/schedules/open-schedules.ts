/**
 * The schedules of a daemon: one timer for all of them, and what else makes them due.
 *
 * 1. The timer fires at least every `timerMsMax`, so that a clock that jumps is noticed.
 * 2. Only the daemon of a state folder drives its schedules: it holds the lock of that folder.
 */

import { systemClock } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import type { ReadLoops } from '../../launch/read-loops.ts'
import { defined, textOf } from '../../loop/index.ts'
import type { DrivenSchedules, Log, RunStarter } from '../parts.ts'
import { beginTick } from './begin-tick.ts'
import { openBook } from './book.ts'
import { createDriver } from './driver.ts'
import { findEnd, findEndedRuns } from './find-end.ts'
import { createSights } from './look-at-files.ts'
import { notifyAlert } from './notify-alert.ts'
import { createTimer } from './timer.ts'

export interface SchedulesOptions {
  readonly host: Host
  readonly scheduler: Pick<RunStarter, 'submit'>
  readonly reads?: ReadLoops
  readonly log: Log
  readonly now?: () => number
}

export interface OpenSchedules extends DrivenSchedules {
  /** Nothing more is started. Resolves when what was being started is. */
  close(): Promise<void>
}

const timerMsMax = 30_000
/** Changes that come one after another are looked at together. */
const soonMs = 200
const retryMs = 5000

export async function openSchedules(options: SchedulesOptions): Promise<OpenSchedules> {
  const { host, scheduler, log, reads, now = systemClock.now } = options
  const closing = new AbortController()
  const { signal } = closing
  const book = await openBook(host.journal.schedules)
  const parts = { host, scheduler, now, signal, ...defined({ reads }) }
  const sights = createSights()
  const driver = createDriver({
    book,
    now,
    begin: (entry, due, others) => beginTick(parts, entry, due, others),
    findEnd: (run) => findEnd(host.journal, run),
    look: ({ id, definition }) => sights.look(id, definition.trigger),
    findEnded: (position) => findEndedRuns(host.journal, position),
    onTick({ name }, { tick }) {
      log.info({ schedule: name, ...tick }, `tick ${tick.status}`)
    },
    onAlert(entry, text) {
      log.warn({ schedule: entry.name, text }, 'schedule alert')
      void notifyAlert(entry, text, signal).catch((error: unknown) =>
        log.warn({ schedule: entry.name, error: textOf(error) }, 'could not notify'),
      )
    },
    onProblem({ name }, text) {
      log.warn({ schedule: name, text }, 'a tick is retried later')
    },
  })
  const timer = createTimer(async () => {
    try {
      await driver.step()
      return Math.min(timerMsMax, Math.max(0, driver.nextAtMs() - now()))
    } catch (error) {
      if (!signal.aborted) log.warn({ error: textOf(error) }, 'schedules cannot be read')
      return retryMs
    }
  })
  /** Their runs may have ended, in this process or another. */
  const unwatch = host.journal.watch('events', () => {
    timer.wakeIn(soonMs)
  })
  timer.wakeIn(0)
  return {
    wake: () => timer.wakeIn(0),
    async handle(id) {
      try {
        await book.refresh()
        await driver.handle(id)
      } finally {
        timer.wakeIn(0)
      }
    },
    async close() {
      unwatch()
      timer.close()
      closing.abort()
      await Promise.all([driver.close(), timer.settled()])
    },
  }
}
