/**
 * One writer per run: a lease with a fencing number.
 *
 * L1. A living holder is never replaced before its lease expires; a dead one is replaced at once.
 * L2. The fence grows with each holder and is compared inside each transaction, so that a process
 *     that was frozen and woke up cannot write.
 */

import type { Lease } from '../engine/index.ts'
import { LoopError, type RunId } from '../loop/index.ts'
import type { Database } from './database.ts'
import { mayLive } from './owner.ts'

export const leaseTtlMs = 15_000

export interface LeaseColumns {
  readonly owner: string | null
  readonly fence: number
  readonly expires_at: number
}

export function isHeld(
  lease: { readonly owner: string | null; readonly expires_at: number | null },
  nowMs: number,
): boolean {
  return lease.owner !== null && (lease.expires_at ?? 0) > nowMs && mayLive(lease.owner)
}

export interface Leases {
  // All of these run inside a transaction of the caller.
  /** Throws `workspace-busy` when another run is at work in the workspace, above it or below it. */
  requireWorkspace(key: number, nowMs: number): void
  /** Throws `run-busy` when somebody holds it. */
  requireFree(key: number, run: RunId, nowMs: number): void
  take(key: number, run: RunId, owner: string, nowMs: number): Lease
  drop(key: number, lease: Lease): void
  /** Throws `fenced`. Prolongs a lease that is past a third of its time. */
  verify(key: number, lease: Lease, nowMs: number): void
  /** A transaction begins: what was verified in the one before may have changed. */
  begin(): void
}

export function createLeases(database: Database): Leases {
  const select = database.prepare('SELECT owner, fence, expires_at FROM leases WHERE run = ?')
  const current = database.prepare(
    'SELECT expires_at FROM leases WHERE run = ? AND fence = ? AND owner = ?',
  )
  const upsert = database.prepare(
    'INSERT INTO leases (run, owner, fence, expires_at) VALUES (?, ?, ?, ?) ' +
      'ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, fence = excluded.fence, ' +
      'expires_at = excluded.expires_at',
  )
  const prolong = database.prepare('UPDATE leases SET expires_at = ? WHERE run = ?')
  const clear = database.prepare('UPDATE leases SET owner = NULL WHERE run = ? AND fence = ?')
  const rivals = database.prepare(
    'SELECT runs.name, leases.owner, leases.expires_at FROM runs JOIN leases ' +
      'ON leases.run = runs.key JOIN runs AS mine ON mine.key = ?1 ' +
      'WHERE runs.key <> ?1 AND leases.owner IS NOT NULL ' +
      `AND (${isWithin('runs', 'mine')} OR ${isWithin('mine', 'runs')})`,
  )
  // Nobody else can write while a transaction is open, so once in it is enough.
  const verified = new Map<number, Lease>()

  function freeRow(key: number, run: RunId, nowMs: number): LeaseColumns | undefined {
    const row = select.get(key) as LeaseColumns | undefined
    if (row !== undefined && isHeld(row, nowMs)) throw busy(run, row)
    return row
  }

  return {
    requireWorkspace(key, nowMs) {
      for (const rival of rivals.all(key) as (LeaseColumns & { name: string })[]) {
        if (isHeld(rival, nowMs)) throw workspaceBusy(rival.name)
      }
    },
    requireFree: (key, run, nowMs) => {
      freeRow(key, run, nowMs)
    },
    take(key, run, owner, nowMs) {
      const row = freeRow(key, run, nowMs)
      const fence = (row?.fence ?? 0) + 1
      upsert.run(key, owner, fence, nowMs + leaseTtlMs)
      return { run, owner, fence }
    },
    drop: (key, lease) => {
      clear.run(key, lease.fence)
    },
    begin: () => verified.clear(),
    verify(key, lease, nowMs) {
      if (verified.get(key) === lease) return
      const row = current.get(key, lease.fence, lease.owner) as { expires_at: number } | undefined
      if (row === undefined) throw fenced(lease.run)
      if (row.expires_at - nowMs < (leaseTtlMs * 2) / 3) prolong.run(nowMs + leaseTtlMs, key)
      verified.set(key, lease)
    },
  }
}

/** SQL: the workspace of one table is that of the other, or below it. */
function isWithin(inner: string, outer: string): string {
  const folder = (table: string): string => `rtrim(${table}.workspace, '/') || '/'`
  return `substr(${folder(inner)}, 1, length(${folder(outer)})) = ${folder(outer)}`
}

function busy(run: RunId, row: LeaseColumns): LoopError {
  const pid = row.owner?.split('|')[2] ?? '?'
  return new LoopError(
    'run-busy',
    `Run ${run} is being driven by process ${pid}. Stop that process first, or wait for it.`,
  )
}

const workspaceBusy = (name: string): LoopError =>
  new LoopError(
    'workspace-busy',
    `Run "${name}" is at work in the same workspace, or in one inside the other. Wait for it, or give this run another one.`,
  )

const fenced = (run: RunId): LoopError =>
  new LoopError(
    'fenced',
    `Run ${run} was taken over by another process while this one did not answer. ` +
      'Nothing of this change was kept.',
  )
