/**
 * Accepts, drives and releases runs.
 *
 * 1. The queue is on disk: however this process ends, the next one continues from it (E10).
 * 2. A run leaves the queue when it ended, when a person paused it, or when a person has to do something; the
 *    run then states the reason.
 * 3. A run that could not continue is never retried without a delay.
 */

import type { QueueRow } from '../../engine/index.ts'
import { storeErrors, systemClock } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import type { ReadLoops } from '../../launch/read-loops.ts'
import type { ScheduledStart } from '../../launch/start/create-run.ts'
import { requireAbsolute } from '../../launch/start/require-absolute.ts'
import { defined, isEnd, LoopError, type RunId } from '../../loop/index.ts'
import type { NewRunRequest } from '../../protocol/api/index.ts'
import type { DaemonSettings, EnqueueOptions, Log, Scheduler, Submitted } from '../parts.ts'
import { type CallerEnvironments, createCallerEnvironments } from './caller-environments.ts'
import { createCreatedLoops } from './created-loops.ts'
import { toDriveRequest, toRow } from './drive-request.ts'
import { createQueued, digestOf, forkQueued, type QueuedRun, retryQueued } from './new-run.ts'
import { createQueue, type Queue } from './queue.ts'

export interface SchedulerOptions {
  readonly host: Host
  readonly log: Log
  readonly settings: Pick<
    DaemonSettings,
    'maxConcurrentRuns' | 'maxRunsPerWorkspace' | 'queuePolicy'
  >
  /** Values that must never be logged, such as tokens. */
  readonly secrets?: () => readonly string[]
  /** Shared with the log, which masks them; default: its own. */
  readonly environments?: CallerEnvironments
  /** Shared with previews, so that a file is read once. */
  readonly reads?: ReadLoops
  /** Work done alongside each driven run, such as writing its run folder. */
  readonly follow?: (run: RunId) => { stop(): Promise<unknown> }
  /** Completes the files of an ended run before it leaves the queue. Never rejects. */
  readonly finish?: (run: RunId) => Promise<unknown>
  readonly now?: () => number
}

/** Restores the queue from disk; resolves before any of it is driven. */
export async function openScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const { host, log, now = systemClock.now, environments = createCallerEnvironments() } = options
  const { journal } = host
  const loops = createCreatedLoops()
  const board = createQueue({ ...options, environments, loops })
  const creating = { host, log, now, ...defined({ reads: options.reads }) }
  const rows = await journal.queue.list()
  for (const row of rows) {
    if (row.status === 'paused') await journal.queue.remove(row.run)
    else if (!isEnd(row.status)) board.add(row)
  }
  const finished = forgetAll(
    board,
    rows.filter(({ status }) => isEnd(status)),
  )
  const accepted = async (
    { environment }: Pick<NewRunRequest, 'environment'>,
    create: () => Promise<QueuedRun>,
  ): Promise<Submitted> => {
    requireTaking(board)
    const { place, loaded } = await create()
    const { id: run, why } = place
    loops.set(run, loaded)
    environments.put(run, environment)
    board.add(await rowOf(host, run))
    return { run: await journal.findRun(run), isNew: true, ...defined({ why }) }
  }
  return {
    submit: withKeys(host, environments, (request, key, scheduled) =>
      accepted(request, () => createQueued(creating, request, key, scheduled)),
    ),
    retry: (run, request = {}) => accepted(request, () => retryQueued(creating, run, request)),
    fork: (run, request) => accepted(request, () => forkQueued(creating, run, request)),
    async enqueue(run, how = {}) {
      requireTaking(board)
      const item = board.item(run)
      const again = async (): Promise<void> => {
        const row = await enqueueRun(host, run, how, now())
        environments.put(run, how.environment)
        board.add(row)
      }
      // A driven run may be about to end; then it is resumed.
      if (item?.drive !== undefined) item.again = again
      else await again()
    },
    async release(run) {
      const item = board.item(run)
      if (item === undefined) return
      item.isReleased = true
      item.drive?.stop.abort()
      await item.drive?.settled
      await board.forget(run)
      board.wake()
    },
    isDriven: ({ id, held }) => held || board.item(id)?.drive !== undefined,
    queue: board.entries,
    entry: (run) => board.entries().find((one) => one.run === run),
    async drain(hurry) {
      await Promise.all([board.close(hurry), finished])
    },
  }
}

/** Finishes runs that had ended when the last daemon stopped: one by one, in the background. Never rejects. */
async function forgetAll(board: Queue, rows: readonly QueueRow[]): Promise<void> {
  try {
    for (const { run } of rows) if (board.isOpen) await board.forget(run)
  } catch {
    // Writers report a failing store; the next start tries again.
  }
}

/** Requests with the same idempotency key create only one run. */
function withKeys(
  { journal }: Host,
  environments: CallerEnvironments,
  submit: Scheduler['submit'],
): Scheduler['submit'] {
  const pending = new Map<string, Promise<Submitted>>()
  async function once(
    request: Parameters<Scheduler['submit']>[0],
    key: string,
    scheduled: ScheduledStart | undefined,
  ): Promise<Submitted> {
    const known = await journal.queue.request(key)
    if (known === undefined) return submit(request, key, scheduled)
    if (known.digest !== digestOf(request)) throw storeErrors.keyReused(key)
    const run = await journal.findRun(known.run)
    // The daemon may have restarted since, and lost the environment of the caller.
    if (!isEnd(run.status)) environments.put(run.id, request.environment)
    return { run, isNew: false }
  }
  return async (request, key, scheduled) => {
    if (key === undefined) return submit(request, key, scheduled)
    const before = pending.get(key) ?? Promise.resolve()
    const submitted = before.then(
      () => once(request, key, scheduled),
      () => once(request, key, scheduled),
    )
    pending.set(key, submitted)
    try {
      return await submitted
    } finally {
      if (pending.get(key) === submitted) pending.delete(key)
    }
  }
}

async function rowOf({ journal }: Host, run: RunId): Promise<QueueRow> {
  const found = await journal.queue.row(run)
  if (found !== undefined) return found
  throw new LoopError('unknown-run', `Run ${run} is no longer in the queue. See: loopctl list`)
}

async function enqueueRun(
  host: Host,
  run: RunId,
  how: EnqueueOptions,
  nowMs: number,
): Promise<QueueRow> {
  const { by = 'resume', priority = 0, fromIteration, file } = how
  for (const path of [file, how.workspace]) requireAbsolute(path)
  const { checkout, workspace } = await host.placeAgain(run, how.workspace)
  if (fromIteration !== undefined) await host.rewind(run, fromIteration)
  const { status } = await host.journal.findRun(run)
  if (status === 'paused') await host.sendDecision(run, { type: 'resume' }, by)
  const folder = checkout ?? workspace
  await host.journal.queue.put(run, {
    priority,
    queuedAtMs: nowMs,
    request: toRow(toDriveRequest(how, defined({ file, workspace: how.workspace }))),
    tries: 0,
    by,
    ...defined({ workspace: folder }),
  })
  return rowOf(host, run)
}

function requireTaking({ isOpen }: Queue): void {
  if (isOpen) return
  throw new LoopError('not-available', 'The daemon is shutting down. Try again when it is running.')
}
