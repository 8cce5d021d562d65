/** The queue in memory. */

import {
  type NewQueueRow,
  type QueueRow,
  type RequestKey,
  type RunQueue,
  storeErrors,
} from '../../engine/index.ts'
import type { RunStatus } from '../../loop/index.ts'
import { insertRun, type MemoryData, notify, requireRun } from './memory-data.ts'
import type { MemoryRun } from './memory-run.ts'

const requestsMax = 10_000
const requestMsMax = 24 * 60 * 60 * 1000

const drivable: readonly RunStatus[] = ['pending', 'running', 'waiting', 'suspended']

export function createMemoryQueue(data: MemoryData): RunQueue {
  const known = (key: string): (RequestKey & { readonly run: MemoryRun['id'] }) | undefined => {
    const found = data.requests.get(key)
    if (found === undefined || found.atMs < data.now() - requestMsMax) return undefined
    return { key, digest: found.digest, run: found.run }
  }
  const queued = (): readonly QueueRow[] =>
    [...data.runs.values()].toSorted((one, other) => one.key - other.key).flatMap(toRows)
  return {
    async create(run, row, request) {
      if (request !== undefined && known(request.key) !== undefined) {
        throw storeErrors.keyReused(request.key)
      }
      insertRun(data, run).queued = copy(row)
      if (request !== undefined) remember(data, request, run.id)
      notify(data, 'events')
    },
    async put(run, row) {
      requireRun(data, run).queued = copy(row)
    },
    async remove(run) {
      requireRun(data, run).queued = undefined
    },
    row: async (run) => toRows(requireRun(data, run))[0],
    list: async () => queued().toSorted((one, other) => one.queuedAtMs - other.queuedAtMs),
    open: async () =>
      queued()
        .filter(({ status }) => drivable.includes(status))
        .map(({ run }) => run),
    request: async (key) => known(key),
  }
}

/** Q2. */
function remember(data: MemoryData, { key, digest }: RequestKey, run: MemoryRun['id']): void {
  const { requests, now } = data
  for (const [old, { atMs }] of requests) if (atMs < now() - requestMsMax) requests.delete(old)
  const oldest = [...requests.values()].toSorted((one, other) => one.atMs - other.atMs)
  for (const old of oldest.slice(0, Math.max(0, requests.size - requestsMax + 1))) {
    requests.delete(old.key)
  }
  requests.set(key, { key, digest, run, atMs: now() })
}

const copy = (row: NewQueueRow): NewQueueRow => JSON.parse(JSON.stringify(row)) as NewQueueRow

function toRows(run: MemoryRun): readonly QueueRow[] {
  const { id, name, status, workspace: place, queued } = run
  if (queued === undefined) return []
  return [{ ...copy(queued), run: id, name, status, ...(place === undefined ? {} : { place }) }]
}
