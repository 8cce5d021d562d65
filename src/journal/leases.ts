/**
 * One writer per run: a lease with a fencing number.
 *
 * L1. A living holder is never replaced before its lease expires; one that is known to be dead is replaced
 *     immediately.
 * L2. The fence grows with each holder and is compared inside each transaction, so that a process
 *     that was frozen and woke up cannot write.
 * L3. Expiry uses the time since boot, which all processes of a machine share and which cannot be set. The
 *     wall clock is used only for holders that may be on another machine or from an earlier boot.
 */

import { type Lease, type LocalOwners, leaseTtlMs, storeErrors } from '../engine/index.ts'
import type { RunId } from '../loop/index.ts'
import type { Database } from './database.ts'

export interface LeaseColumns {
  readonly owner: string | null
  readonly fence: number
  readonly expires_at: number
  readonly expires_up: number | null
}

/** The current time by the wall clock and since boot. */
export interface Moment {
  readonly wallMs: number
  readonly upMs: number
}

/** The lease row of a run; all members are null if it never had one. */
export interface JoinedLease {
  readonly owner: string | null
  readonly expires_at: number | null
  readonly expires_up: number | null
}

/** Whether its holder may still write. */
export function isHeld(lease: JoinedLease, now: Moment, owners: LocalOwners | undefined): boolean {
  const { owner, expires_at: atMs, expires_up: upMs } = lease
  if (owner === null) return false
  const isInTime =
    upMs !== null && owners?.isOfThisBoot(owner) === true
      ? upMs > now.upMs
      : (atMs ?? 0) > now.wallMs
  return isInTime && owners?.isDead(owner) !== true
}

export const leftMs = (
  lease: Pick<LeaseColumns, 'expires_at' | 'expires_up'>,
  now: Moment,
): number =>
  lease.expires_up === null ? lease.expires_at - now.wallMs : lease.expires_up - now.upMs

export interface Leases {
  isHeld(lease: JoinedLease): boolean
  // All other methods run inside a transaction of the caller.
  /** Throws `workspace-busy` if another run is active in the workspace, above it or below it. */
  requireWorkspace(key: number): void
  /** Throws `run-busy` if it is held. */
  requireFree(key: number, run: RunId): void
  take(key: number, run: RunId, owner: string): Lease
  drop(key: number, lease: Lease): void
  /** Throws `fenced`. Extends a lease that is past a third of its duration. */
  verify(key: number, lease: Lease): void
  /** A new transaction begins: what the previous one verified may have changed. */
  begin(): void
}

export function createLeases(
  database: Database,
  clock: () => Moment,
  owners: LocalOwners | undefined,
): Leases {
  const select = database.prepare(
    'SELECT owner, fence, expires_at, expires_up FROM leases WHERE run = ?',
  )
  const current = database.prepare(
    'SELECT expires_at, expires_up FROM leases WHERE run = ? AND fence = ? AND owner = ?',
  )
  const upsert = database.prepare(
    'INSERT INTO leases (run, owner, fence, expires_at, expires_up) VALUES (?, ?, ?, ?, ?) ' +
      'ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, fence = excluded.fence, ' +
      'expires_at = excluded.expires_at, expires_up = excluded.expires_up',
  )
  const prolong = database.prepare('UPDATE leases SET expires_at = ?, expires_up = ? WHERE run = ?')
  const clear = database.prepare('UPDATE leases SET owner = NULL WHERE run = ? AND fence = ?')
  const rivals = database.prepare(
    'SELECT runs.name, leases.owner, leases.expires_at, leases.expires_up FROM runs ' +
      'JOIN leases ON leases.run = runs.key JOIN runs AS mine ON mine.key = ?1 ' +
      'WHERE runs.key <> ?1 AND leases.owner IS NOT NULL ' +
      `AND (${isWithin('runs', 'mine')} OR ${isWithin('mine', 'runs')})`,
  )
  // No other process can write while a transaction is open, so one verification is enough.
  const verified = new Map<number, Lease>()

  function freeRow(key: number, run: RunId, now: Moment): LeaseColumns | undefined {
    const row = select.get(key) as LeaseColumns | undefined
    if (row !== undefined && row.owner !== null && isHeld(row, now, owners))
      throw storeErrors.runBusy(run, row.owner, owners)
    return row
  }

  return {
    isHeld: (lease) => isHeld(lease, clock(), owners),
    requireWorkspace(key) {
      const now = clock()
      for (const rival of rivals.all(key) as (LeaseColumns & { name: string })[]) {
        if (isHeld(rival, now, owners)) throw storeErrors.workspaceBusy(rival.name)
      }
    },
    requireFree: (key, run) => {
      freeRow(key, run, clock())
    },
    take(key, run, owner) {
      const now = clock()
      const row = freeRow(key, run, now)
      const fence = (row?.fence ?? 0) + 1
      upsert.run(key, owner, fence, now.wallMs + leaseTtlMs, now.upMs + leaseTtlMs)
      return { run, owner, fence }
    },
    drop: (key, lease) => {
      clear.run(key, lease.fence)
    },
    begin: () => verified.clear(),
    verify(key, lease) {
      if (verified.get(key) === lease) return
      const now = clock()
      const row = current.get(key, lease.fence, lease.owner) as LeaseColumns | undefined
      if (row === undefined) throw storeErrors.fenced(lease.run)
      if (leftMs(row, now) < (leaseTtlMs * 2) / 3) {
        prolong.run(now.wallMs + leaseTtlMs, now.upMs + leaseTtlMs, key)
      }
      verified.set(key, lease)
    },
  }
}

/** SQL: the workspace of one table equals that of the other, or is below it. */
function isWithin(inner: string, outer: string): string {
  const folder = (table: string): string => `rtrim(${table}.workspace, '/') || '/'`
  return `substr(${folder(inner)}, 1, length(${folder(outer)})) = ${folder(outer)}`
}
