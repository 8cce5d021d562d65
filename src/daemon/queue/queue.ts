/**
 * The queue in memory, in sync with the one on disk. On every change (a run arrives, ends, asks a question,
 * gets a decision, or is due for a retry) it calls `choose` and acts on the result.
 */

import type { QueueRow } from '../../engine/index.ts'
import { systemClock } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import { isEnd, isLoopError, type RunId } from '../../loop/index.ts'
import type { QueueEntry } from '../../protocol/api/index.ts'
import { type Choice, choose } from './choose.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { entriesOf } from './entries.ts'
import type { SchedulerOptions } from './open-scheduler.ts'
import { type Item, type ItemParts, startItem } from './queue-item.ts'

export interface Queue {
  readonly isOpen: boolean
  item(run: RunId): Item | undefined
  /** Adds a row of the queue, or replaces it. */
  add(row: QueueRow): void
  /** Removes it from the queue, on disk first, once its files are written. */
  forget(run: RunId): Promise<void>
  wake(): void
  entries(): readonly QueueEntry[]
  /** Starts nothing more, and suspends running runs; without waiting in a hurried shutdown. */
  close(hurry?: AbortSignal): Promise<void>
}

/** Limits how many runs are opened at a time, since opening starts processes and reads many files. */
const opensMax = 4
const timerMsMax = 60_000
/** The shortest interval between checks for changes by other processes. */
const pollMs = 200

export function createQueue(
  options: SchedulerOptions & Pick<ItemParts, 'environments' | 'loops'>,
): Queue {
  const { host, settings, now = systemClock.now } = options
  const { queue: rows } = host.journal
  const items = new Map<RunId, Item>()
  const opening = createConcurrencyLimit(opensMax)
  const parts = { ...options, opening, now, wake, forget }
  let isOpen = true
  let woken: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined

  const looking = lookForOver(host, items, async (run) => {
    await forget(run)
    wake()
  })
  const decide = (): Choice => decideFor([...items.values()], settings, now())

  function work(): void {
    woken = undefined
    for (const run of decide().start) {
      const item = items.get(run)
      if (item !== undefined) startItem(item, parts)
    }
    clearTimeout(timer)
    const next = nextMoment([...items.values()], now())
    if (next < Infinity) timer = setTimeout(wake, Math.min(next - now(), timerMsMax))
  }

  function wake(): void {
    if (isOpen) woken ??= setImmediate(work)
  }

  /** If the process is killed before the row is removed, the next start repeats this. */
  async function forget(run: RunId): Promise<void> {
    await options.finish?.(run)
    await rows.remove(run).catch((error: unknown) => {
      if (!isLoopError(error, 'unknown-run')) throw error
    })
    items.delete(run)
    // A paused or suspended run may still need the environment of its caller.
    if (await hasEnded(host, run)) options.environments.drop(run)
  }

  return {
    get isOpen() {
      return isOpen
    },
    item: (run) => items.get(run),
    add(row) {
      const known = items.get(row.run)
      if (known === undefined) items.set(row.run, { row })
      else known.row = row
      wake()
    },
    forget,
    wake,
    entries: () => entriesOf(items, decide(), settings.maxConcurrentRuns),
    async close(hurry) {
      isOpen = false
      looking.stop()
      clearTimeout(timer)
      clearImmediate(woken)
      const driven = [...items.values()].flatMap(({ drive }) => drive ?? [])
      for (const { stop } of driven) stop.abort()
      const suspendNow = (): void => {
        for (const drive of driven) drive.hurry.abort()
      }
      if (hurry?.aborted === true) suspendNow()
      hurry?.addEventListener('abort', suspendNow, { once: true })
      await Promise.all(driven.map(({ settled }) => settled))
    },
  }
}

/** A queued run may be paused, ended or removed by this process or another. */
function lookForOver(
  { journal }: Host,
  items: ReadonlyMap<RunId, Item>,
  onOver: (run: RunId) => Promise<void>,
): { stop(): void } {
  let soon: NodeJS.Timeout | undefined
  async function finishClosedRuns(): Promise<void> {
    const before = [...items.keys()]
    const open = new Set(await journal.queue.open())
    for (const run of before) {
      const item = items.get(run)
      if (!open.has(run) && item !== undefined && isIdle(item)) await onOver(run)
    }
  }
  const unwatch = journal.watch('events', () => {
    if (soon !== undefined || ![...items.values()].some(isIdle)) return
    soon = setTimeout(() => {
      soon = undefined
      // Writers report a failing store.
      void finishClosedRuns().catch(() => undefined)
    }, pollMs)
  })
  return {
    stop() {
      unwatch()
      clearTimeout(soon)
    },
  }
}

const hasEnded = ({ journal }: Host, run: RunId): Promise<boolean> =>
  journal.findRun(run).then(
    ({ status }) => isEnd(status),
    () => true,
  )

const isIdle = ({ drive }: Item): boolean => drive === undefined

function decideFor(
  items: readonly Item[],
  settings: SchedulerOptions['settings'],
  nowMs: number,
): Choice {
  const driven = items.flatMap(({ row, drive }) =>
    drive === undefined ? [] : [{ ...row, asks: drive.asks }],
  )
  const queued = items.filter(isIdle).map(({ row }) => row)
  const { maxConcurrentRuns: runs, maxRunsPerWorkspace: runsPerWorkspace } = settings
  return choose(queued, driven, { runs, runsPerWorkspace }, settings.queuePolicy, nowMs)
}

/** When the next retry is due. */
const nextMoment = (items: readonly Item[], nowMs: number): number =>
  items
    .flatMap((item) => (isIdle(item) ? (item.row.retryAtMs ?? []) : []))
    .reduce((first, atMs) => (atMs > nowMs ? Math.min(first, atMs) : first), Infinity)
