/** Leases in memory: opaque owners, a fence that grows, and expiry. */

import { type Lease, leaseTtlMs, type Owner, type Store, storeErrors } from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import { isHeld, type MemoryData, requireRun } from './memory-data.ts'
import type { MemoryRun } from './memory-run.ts'

type Leasing = 'acquire' | 'acquireIdle' | 'renew' | 'release'

export function createMemoryLeases(data: MemoryData): Pick<Store, Leasing> {
  function take(id: RunId, owner: Owner): Lease {
    const run = requireRun(data, id)
    requireFree(data, run)
    const fence = run.lease.fence + 1
    run.lease = { owner, fence, expiresAtMs: data.now() + leaseTtlMs }
    return { run: id, owner, fence }
  }
  return {
    async acquire(run, owner) {
      requireWorkspace(data, requireRun(data, run))
      return take(run, owner)
    },
    acquireIdle: async (run, owner) => take(run, owner),
    async renew(lease) {
      verify(data, lease)
    },
    async release(lease) {
      const run = requireRun(data, lease.run)
      if (run.lease.fence === lease.fence) run.lease = { ...run.lease, owner: undefined }
    },
  }
}

/** Throws `run-busy`. */
export function requireFree(data: MemoryData, run: MemoryRun): void {
  const { owner } = run.lease
  if (owner !== undefined && isHeld(data, run)) {
    throw storeErrors.runBusy(run.id, owner, data.owners)
  }
}

/** The run, with a lease that lasts again. Throws `fenced`, also for a run that was removed. */
export function verify({ runs, now }: MemoryData, lease: Lease): MemoryRun {
  const run = runs.get(lease.run)
  if (run?.lease.fence !== lease.fence || run.lease.owner !== lease.owner) {
    throw storeErrors.fenced(lease.run)
  }
  run.lease = { ...run.lease, expiresAtMs: now() + leaseTtlMs }
  return run
}

function requireWorkspace(data: MemoryData, { id, workspace }: MemoryRun): void {
  if (workspace === undefined) return
  for (const rival of data.runs.values()) {
    if (rival.id === id || rival.workspace === undefined || !isHeld(data, rival)) continue
    if (isWithin(rival.workspace, workspace) || isWithin(workspace, rival.workspace)) {
      throw storeErrors.workspaceBusy(rival.name)
    }
  }
}

const asFolder = (path: string): string => `${path.replace(/\/+$/, '')}/`

const isWithin = (inner: string, outer: string): boolean =>
  asFolder(inner).startsWith(asFolder(outer))
