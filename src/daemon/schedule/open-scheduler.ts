/**
 * The queue and those who are at work. Woken by what happens (a run comes, ends, is told something, the
 * moment of another try), it asks `choose` what to do and does it.
 *
 * 1. What is in the queue is on disk: whatever ends this process, the next one goes on from there (E10).
 * 2. A run leaves the queue when it ended, when a person paused it, or when a person has to do
 *    something; the reason is then on the run.
 * 3. A run that could not go on is never tried again at once.
 */

import type { Host, QueueRow } from '../../host/index.ts'
import { isEnd, isLoopError, LoopError, type RunId } from '../../loop/index.ts'
import type { QueueEntry } from '../../protocol/api/index.ts'
import type { DaemonSettings, EnqueueOptions, Log, Scheduler, Submitted } from '../parts.ts'
import { type Choice, choose } from './choose.ts'
import { toDriveRequest } from './drive-request.ts'
import { createQueued, digestOf } from './new-run.ts'
import { type Item, startItem } from './queue-item.ts'
import { createTurns } from './turns.ts'

export interface SchedulerOptions {
  readonly host: Host
  readonly log: Log
  readonly settings: Pick<
    DaemonSettings,
    'maxConcurrentRuns' | 'maxRunsPerWorkspace' | 'queuePolicy'
  >
  /** Beside each run while it is driven, such as its folder of files. */
  readonly follow?: (run: RunId) => { stop(): Promise<unknown> }
  readonly now?: () => number
}

const opensMax = 4
const timerMsMax = 60_000

/** Takes up what was in the queue before; resolves before any of it is driven. */
export async function openScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const { host, log, settings } = options
  const now = options.now ?? Date.now
  const { queue: rows } = host.journal
  const items = new Map<RunId, Item>()
  const opening = createTurns(opensMax)
  const keys = new Map<string, Promise<Submitted>>()
  let isOpen = true
  let woken: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined

  const look = (): Choice => {
    const all = [...items.values()]
    const driven = all.flatMap(({ row, drive }) =>
      drive === undefined ? [] : [{ ...row, asks: drive.asks }],
    )
    const queued = all.filter(({ drive }) => drive === undefined).map(({ row }) => row)
    const limits = {
      runs: settings.maxConcurrentRuns,
      runsPerWorkspace: settings.maxRunsPerWorkspace,
    }
    return choose(queued, driven, limits, settings.queuePolicy, now())
  }

  function work(): void {
    woken = undefined
    if (!isOpen) return
    for (const run of look().start) {
      const item = items.get(run)
      if (item !== undefined) startItem(item, { ...options, opening, now, wake, forget })
    }
    const moments = [...items.values()].flatMap(({ row, drive }) =>
      drive === undefined && row.retryAtMs !== undefined ? [row.retryAtMs] : [],
    )
    clearTimeout(timer)
    const next = Math.min(...moments.filter((atMs) => atMs > now()))
    if (next < Number.POSITIVE_INFINITY) {
      timer = setTimeout(wake, Math.min(next - now(), timerMsMax))
      timer.unref()
    }
  }

  function wake(): void {
    if (isOpen) woken ??= setImmediate(work)
  }

  async function forget(run: RunId): Promise<void> {
    await rows.remove(run).catch((error: unknown) => {
      if (!isLoopError(error, 'unknown-run')) throw error
    })
    items.delete(run)
  }

  function add(row: QueueRow): void {
    const known = items.get(row.run)
    if (known === undefined) items.set(row.run, { row })
    else known.row = row
    wake()
  }

  async function rowOf(run: RunId): Promise<QueueRow> {
    const found = (await rows.list()).find((row) => row.run === run)
    if (found === undefined) throw new LoopError('unknown-run', `Run ${run} is not in the queue.`)
    return found
  }

  async function submitNew(
    request: Parameters<Scheduler['submit']>[0],
    key: string | undefined,
  ): Promise<Submitted> {
    const known = key === undefined ? undefined : await rows.request(key)
    if (known !== undefined) {
      if (known.digest !== digestOf(request)) throw keyReused()
      return { run: await host.journal.findRun(known.run), isNew: false }
    }
    const id = await createQueued({ host, log, now }, request, key)
    add(await rowOf(id))
    return { run: await host.journal.findRun(id), isNew: true }
  }

  for (const row of await rows.list()) {
    if (isEnd(row.status) || row.status === 'paused') await rows.remove(row.run)
    else add(row)
  }

  return {
    async submit(request, key) {
      requireTaking(isOpen)
      if (key === undefined) return submitNew(request, undefined)
      // Two at once with one key are one request, too.
      const before = keys.get(key)
      const submitted = (before?.catch(() => undefined) ?? Promise.resolve()).then(() =>
        submitNew(request, key),
      )
      keys.set(key, submitted)
      try {
        return await submitted
      } finally {
        if (keys.get(key) === submitted) keys.delete(key)
      }
    },
    async enqueue(run, how = {}) {
      requireTaking(isOpen)
      await enqueueRun(host, run, how, now())
      add(await rowOf(run))
    },
    async release(run) {
      const item = items.get(run)
      if (item === undefined) return
      item.isReleased = true
      item.drive?.stop.abort()
      await item.drive?.settled
      await forget(run)
      wake()
    },
    queue: () => entriesOf(items, look(), settings),
    entry: (run) => entriesOf(items, look(), settings).find((one) => one.run === run),
    async drain() {
      isOpen = false
      clearTimeout(timer)
      clearImmediate(woken)
      const driven = [...items.values()].flatMap(({ drive }) => drive ?? [])
      for (const { stop } of driven) stop.abort()
      await Promise.all(driven.map(({ settled }) => settled))
    },
  }
}

async function enqueueRun(
  host: Host,
  run: RunId,
  how: EnqueueOptions,
  nowMs: number,
): Promise<void> {
  const { by = 'resume', priority = 0, fromIteration } = how
  const { checkout, workspace } = await host.placeAgain(run)
  if (fromIteration !== undefined) await host.rewind(run, fromIteration)
  const { status } = await host.journal.findRun(run)
  if (status === 'paused') await host.tell(run, { type: 'resume' }, by)
  const folder = checkout ?? workspace
  await host.journal.queue.put(run, {
    priority,
    queuedAtMs: nowMs,
    request: { ...toDriveRequest(how) },
    tries: 0,
    by,
    ...(folder === undefined ? {} : { workspace: folder }),
  })
}

function entriesOf(
  items: ReadonlyMap<RunId, Item>,
  { start, waits }: Choice,
  { maxConcurrentRuns: runs }: SchedulerOptions['settings'],
): readonly QueueEntry[] {
  const driven = [...items.values()].filter(({ drive }) => drive !== undefined)
  // Those that start in a moment wait for nothing.
  const next = [...start.map((run) => ({ run, waitsFor: undefined, behind: undefined })), ...waits]
  return [
    ...driven.map(({ row }) => ({ ...entryOf(row), state: 'driven' as const })),
    ...next.flatMap(({ run, waitsFor, behind }, index) => {
      const row = items.get(run)?.row
      if (row === undefined) return []
      const why = {
        slot: `waits for a slot: ${runs} run${runs === 1 ? ' is' : 's are'} at work`,
        workspace: `waits for workspace ${row.workspace ?? row.place} (${behind})`,
        time: `is tried again later: ${row.why ?? 'it could not go on'}`,
      }
      const waiting = waitsFor === undefined ? {} : { waitsFor, why: why[waitsFor] }
      return [{ ...entryOf(row), state: 'queued' as const, position: index + 1, ...waiting }]
    }),
  ]
}

const entryOf = (row: QueueRow): Omit<QueueEntry, 'state'> => ({
  run: row.run,
  name: row.name,
  priority: row.priority,
  queuedAtMs: row.queuedAtMs,
  ...(row.workspace === undefined ? {} : { workspace: row.workspace }),
  ...(row.retryAtMs === undefined ? {} : { retryAtMs: row.retryAtMs }),
})

function requireTaking(isOpen: boolean): void {
  if (isOpen) return
  throw new LoopError('not-available', 'The daemon is about to end. Ask again when it is back.')
}

const keyReused = (): LoopError =>
  new LoopError(
    'key-reused',
    'This Idempotency-Key was used for another request. Give each new request a key of its own.',
  )
