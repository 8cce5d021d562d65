/** Creates runs together with their rows in the queue. */

import { createHash } from 'node:crypto'
import type { Host } from '../../host/host.ts'
import type { ReadLoops } from '../../launch/read-loops.ts'
import { createFork, type ForkChoice, toFork } from '../../launch/start/create-fork.ts'
import { type CreatedRun, createRun, type ScheduledStart } from '../../launch/start/create-run.ts'
import type { StartParts } from '../../launch/start/start-host.ts'
import { defined, type RunId } from '../../loop/index.ts'
import type { ForkRequest, NewRunRequest, RetryRequest } from '../../protocol/api/index.ts'
import type { Queued } from '../../runs/options.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import type { Log } from '../parts.ts'
import { toDriveRequest, toRow } from './drive-request.ts'

export interface NewRunParts {
  readonly host: Host
  readonly log: Log
  readonly now: () => number
  readonly reads?: ReadLoops
}

export type QueuedRun = Pick<CreatedRun, 'place' | 'loaded'>

/** Resolves when the run is on disk; starts nothing. */
export async function createQueued(
  parts: NewRunParts,
  request: NewRunRequest,
  key?: string,
  scheduled?: ScheduledStart,
): Promise<QueuedRun> {
  const { file } = request
  const toQueue = (placed: RunPlace): Queued => ({
    row: queueRow(placed, request, parts.now()),
    ...(key === undefined ? {} : { request: { key, digest: digestOf(request) } }),
  })
  return createRun(startParts(parts, { file }), request, toQueue, scheduled)
}

export async function forkQueued(
  parts: NewRunParts,
  run: RunId,
  request: ForkRequest | ForkChoice,
): Promise<QueuedRun> {
  return createFork(startParts(parts, { run }), run, request, (placed) => ({
    row: queueRow(placed, { ...request, carry: true }, parts.now()),
  }))
}

export const retryQueued = async (
  parts: NewRunParts,
  run: RunId,
  request: RetryRequest,
): Promise<QueuedRun> => forkQueued(parts, run, await toFork(parts, run, request))

const startParts = ({ host, log, reads }: NewRunParts, about: object): StartParts => ({
  host,
  ...defined({ reads }),
  onProblem: (problem, run) => log.warn({ run }, problem),
  onLine: (line) => log.info(about, line),
})

function queueRow(
  { workspace, checkout }: Pick<RunPlace, 'workspace' | 'checkout'>,
  request: Parameters<typeof toDriveRequest>[0] & Pick<NewRunRequest, 'priority' | 'by'>,
  nowMs: number,
): Queued['row'] {
  const folder = checkout ?? workspace
  return {
    priority: request.priority ?? 0,
    queuedAtMs: nowMs,
    request: toRow(toDriveRequest(request)),
    tries: 0,
    ...defined({ by: request.by, workspace: folder }),
  }
}

/** The same for equal requests, whatever the order of their keys. Stored, so without the environment. */
export function digestOf(request: Pick<NewRunRequest, 'environment'>): string {
  const { environment: _environment, ...rest } = request
  return createHash('sha256')
    .update(JSON.stringify(sorted(rest)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]))
}
