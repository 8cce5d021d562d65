/** Drives one run of the queue, and decides what happens to it afterwards. */

import type { DriveEnd, QueueRow } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import {
  inOneLine,
  isEnd,
  isLoopError,
  parseStepKind,
  type RunId,
  type RunState,
  type StepId,
  textOf,
} from '../../loop/index.ts'
import type { Log } from '../parts.ts'
import type { CallerEnvironments } from './caller-environments.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { CreatedLoops } from './created-loops.ts'
import { driveQueued } from './drive-queued.ts'
import { keepLastingOptions, readDriveRequest, toRow } from './drive-request.ts'
import { retryAfterMs } from './setback.ts'

export interface Item {
  row: QueueRow
  drive?: Drive
  /** Released from the queue: it is not retried. */
  isReleased?: true
  /** Resume it once it is suspended. */
  again?: () => Promise<void>
}

export interface Drive {
  readonly stop: AbortController
  /** Cuts short the grace time of the current step after `stop`. */
  readonly hurry: AbortController
  /** Resolves when it has ended and its next state is stored. Never rejects. */
  readonly settled: Promise<void>
  /** It waits for a person. */
  asks: boolean
}

export interface ItemParts {
  readonly host: Host
  readonly log: Log
  readonly opening: ConcurrencyLimit
  readonly secrets?: () => readonly string[]
  readonly environments: CallerEnvironments
  readonly loops: CreatedLoops
  readonly follow?: (run: RunId) => { stop(): Promise<unknown> }
  readonly now: () => number
  readonly wake: () => void
  /** Removes it from the queue. */
  readonly forget: (run: RunId) => Promise<void>
}

export function startItem(item: Item, parts: ItemParts): void {
  const { host, log } = parts
  const { run, name } = item.row
  const stop = new AbortController()
  const hurry = new AbortController()
  let steps: number | undefined
  const onState = (state: RunState): void => {
    const asks = state.status === 'waiting' && state.waits.some(isQuestion)
    if (item.drive !== undefined && item.drive.asks !== asks) {
      item.drive.asks = asks
      parts.wake()
    }
    steps ??= state.metrics.steps
    // It continued, so the earlier reason no longer applies.
    if (state.metrics.steps > steps && item.row.tries > 0) item.row = { ...item.row, tries: 0 }
  }
  const drive = async (): Promise<void> => {
    const request = readDriveRequest(item.row.request)
    const before = await lastSeq(host, run)
    const follower = parts.follow?.(run)
    log.info({ run, name }, 'driven')
    try {
      const onStarted = async (): Promise<void> => {
        const { retryAtMs: _retryAtMs, why: _why, ...row } = item.row
        item.row = { ...row, request: toRow(keepLastingOptions(request)) }
        // A stale row does no harm; the run itself is running.
        await host.journal.queue.put(run, item.row).catch(() => undefined)
      }
      const watched = { signal: stop.signal, hurry: hurry.signal, onState, onStarted }
      const end = await driveQueued(parts, run, request, watched).finally(() => follower?.stop())
      await settle(item, end, parts)
    } catch (error) {
      await setBack(item, error, parts, { signal: stop.signal, before })
    }
  }
  const settled = drive()
    .catch((error: unknown) => log.error({ run, name, error: String(error) }, 'not settled'))
    .then(async () => {
      delete item.drive
      const { again } = item
      delete item.again
      if (item.isReleased !== true) await again?.()
    })
    .catch((error: unknown) =>
      log.warn({ run, name, error: String(error) }, 'could not be queued again'),
    )
    .finally(parts.wake)
  item.drive = { stop, hurry, settled, asks: false }
}

const isQuestion = (step: StepId): boolean => parseStepKind(step) === 'ask'

async function settle(item: Item, end: DriveEnd, { log, forget }: ItemParts): Promise<void> {
  const { run, name } = item.row
  if (end.type === 'ended') {
    delete item.again
    log.info({ run, name, outcome: end.outcome.type }, 'ended')
    return forget(run)
  }
  log.info({ run, name, reason: end.reason }, 'suspended')
  // After a shutdown the next process continues; any other suspension was wanted by a person.
  if (end.reason !== 'shut down' || item.isReleased === true) await forget(run)
}

/** It could not continue, or not even start. */
async function setBack(
  item: Item,
  error: unknown,
  parts: ItemParts,
  { signal, before }: { readonly signal: AbortSignal; readonly before: number },
): Promise<void> {
  const { host, log, forget, now } = parts
  const { run, name, tries } = item.row
  if (signal.aborted) return
  const why = inOneLine(textOf(error))
  const waitMs = retryAfterMs(error, tries)
  if (waitMs !== undefined) {
    log.warn({ run, name, why, waitMs }, 'retrying later')
    item.row = { ...item.row, retryAtMs: now() + waitMs, tries: tries + 1, why }
    // A failing store cannot save this; it stays in memory.
    await host.journal.queue.put(run, item.row).catch(() => undefined)
    return
  }
  log.warn({ run, name, why }, 'waiting for a person')
  // What the file would do is shown only when the user is asked to trust it.
  const [first = ''] = textOf(error).split('\n', 1)
  await recordReason(host, run, isLoopError(error, 'not-trusted') ? first : why, before)
  await forget(run)
}

/** Records the reason on the run, unless it already has one or has ended. */
async function recordReason(host: Host, run: RunId, why: string, before: number): Promise<void> {
  try {
    const { status, lastSeq: last } = await host.journal.findRun(run)
    const hasReason = isEnd(status) || (status === 'suspended' && last > before)
    if (!hasReason) await host.suspend(run, why)
  } catch (error) {
    if (!isLoopError(error, 'unknown-run') && !isLoopError(error, 'wrong-status')) throw error
  }
}

const lastSeq = ({ journal }: Host, run: RunId): Promise<number> =>
  journal.findRun(run).then(
    (found) => found.lastSeq,
    () => 0,
  )
