/**
 * The lines of work that waits to be merged, and who works through each of them.
 *
 * M2. The fence is compared inside the transaction of each change, as for runs (see `leases.ts`).
 */

import {
  type LocalOwners,
  leaseTtlMs,
  type MergeChange,
  type MergeLease,
  type MergeLine,
  type MergeProgress,
  type MergeRow,
  type NewMerge,
  type Owner,
  storeErrors,
} from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import type { Database } from '../database.ts'
import { isHeld, type LeaseColumns, leftMs, type Moment } from '../leases.ts'

/** All methods that change something run inside a transaction of the caller. */
export interface MergeTable {
  /** Keeps the first request with this key, and returns it. */
  add(run: number, request: NewMerge): MergeRow
  row(key: string): MergeRow | undefined
  open(line: MergeLine): readonly MergeRow[]
  listOpen(): readonly MergeRow[]
  listNewest(limit: number): readonly MergeRow[]
  ofRun(run: number): readonly MergeRow[]
  landed(line: MergeLine, limit: number): readonly MergeRow[]
  isHeld(line: MergeLine): boolean
  take(line: MergeLine, owner: Owner): MergeLease | undefined
  /** Throws `fenced`. Extends a lease that is past a third of its duration. */
  verify(lease: MergeLease): void
  drop(lease: MergeLease): void
  change(change: MergeChange): void
}

interface MergeColumns {
  readonly key: string
  readonly run: string
  readonly name: string
  readonly repository: string
  readonly target: string
  readonly state: MergeProgress['state']
  readonly queued_at: number
  readonly request: string
  readonly progress: string
  readonly ahead: number
}

type StoredRequest = Omit<NewMerge, 'key' | 'run' | 'repository' | 'target' | 'queuedAtMs'>

const isOpen = "state IN ('queued', 'merging')"

const columns =
  'SELECT merges.key, runs.id AS run, runs.name, merges.repository, merges.target, merges.state, ' +
  'merges.queued_at, merges.request, merges.progress, (SELECT count(*) FROM merges AS earlier ' +
  'WHERE earlier.repository = merges.repository AND earlier.target = merges.target ' +
  `AND earlier.id < merges.id AND earlier.${isOpen}) AS ahead ` +
  'FROM merges JOIN runs ON runs.key = merges.run'

export function createMergeTable(
  database: Database,
  clock: () => Moment,
  owners: LocalOwners | undefined,
): MergeTable {
  const insert = database.prepare(
    'INSERT OR IGNORE INTO merges (key, run, repository, target, state, queued_at, request, progress) ' +
      "VALUES (?, ?, ?, ?, 'queued', ?, ?, '{}')",
  )
  const selectOne = database.prepare(`${columns} WHERE merges.key = ?`)
  const inLine = 'merges.repository = ? AND merges.target = ?'
  const selectOpen = database.prepare(
    `${columns} WHERE ${inLine} AND merges.${isOpen} ORDER BY merges.id`,
  )
  const selectAllOpen = database.prepare(`${columns} WHERE merges.${isOpen} ORDER BY merges.id`)
  const selectNewest = database.prepare(`${columns} ORDER BY merges.id DESC LIMIT ?`)
  const selectOfRun = database.prepare(`${columns} WHERE merges.run = ? ORDER BY merges.id`)
  const selectLanded = database.prepare(
    `${columns} WHERE ${inLine} AND merges.state = 'merged' ORDER BY merges.id DESC LIMIT ?`,
  )
  const update = database.prepare('UPDATE merges SET state = ?, progress = ? WHERE key = ?')
  const lines = createLineLeases(database, clock, owners)
  const rows = (found: unknown[]): readonly MergeRow[] => (found as MergeColumns[]).map(toRow)
  return {
    ...lines,
    add(run, { key, run: _run, repository, target, queuedAtMs, ...request }) {
      const stored: StoredRequest = request
      insert.run(key, run, repository, target, queuedAtMs, JSON.stringify(stored))
      return toRow(selectOne.get(key) as MergeColumns)
    },
    row(key) {
      const found = selectOne.get(key) as MergeColumns | undefined
      return found === undefined ? undefined : toRow(found)
    },
    open: ({ repository, target }) => rows(selectOpen.all(repository, target)),
    listOpen: () => rows(selectAllOpen.all()),
    listNewest: (limit) => rows(selectNewest.all(limit)),
    ofRun: (run) => rows(selectOfRun.all(run)),
    landed: ({ repository, target }, limit) => rows(selectLanded.all(repository, target, limit)),
    change({ key, progress: { state, ...progress } }) {
      update.run(state, JSON.stringify(progress), key)
    },
  }
}

function createLineLeases(
  database: Database,
  clock: () => Moment,
  owners: LocalOwners | undefined,
): Pick<MergeTable, 'isHeld' | 'take' | 'verify' | 'drop'> {
  const where = 'WHERE repository = ? AND target = ?'
  const select = database.prepare(
    `SELECT owner, fence, expires_at, expires_up FROM merge_leases ${where}`,
  )
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO merge_leases (repository, target, owner, fence, expires_at, expires_up) ' +
      'VALUES (?, ?, ?, ?, ?, ?)',
  )
  const clear = database.prepare(`UPDATE merge_leases SET owner = NULL ${where} AND fence = ?`)
  const find = ({ repository, target }: MergeLine): LeaseColumns | undefined =>
    select.get(repository, target) as LeaseColumns | undefined
  const write = ({ repository, target, owner, fence }: MergeLease): void => {
    const { wallMs, upMs } = clock()
    upsert.run(repository, target, owner, fence, wallMs + leaseTtlMs, upMs + leaseTtlMs)
  }
  const isTaken = (held: LeaseColumns | undefined): boolean =>
    held !== undefined && isHeld(held, clock(), owners)
  return {
    isHeld: (line) => isTaken(find(line)),
    take({ repository, target }, owner) {
      const held = find({ repository, target })
      if (isTaken(held)) return undefined
      const lease = { repository, target, owner, fence: (held?.fence ?? 0) + 1 }
      write(lease)
      return lease
    },
    verify(lease) {
      const held = find(lease)
      if (held?.fence !== lease.fence || held.owner !== lease.owner) {
        throw storeErrors.lineFenced(lease.target)
      }
      if (leftMs(held, clock()) < (leaseTtlMs * 2) / 3) write(lease)
    },
    drop({ repository, target, fence }) {
      clear.run(repository, target, fence)
    },
  }
}

function toRow(row: MergeColumns): MergeRow {
  const { key, run, name, repository, target, state } = row
  const isWaiting = state === 'queued' || state === 'merging'
  return {
    ...(JSON.parse(row.request) as StoredRequest),
    key,
    run: run as RunId,
    name,
    repository,
    target,
    queuedAtMs: row.queued_at,
    progress: { ...(JSON.parse(row.progress) as object), state } as MergeProgress,
    ...(isWaiting ? { position: row.ahead + 1 } : {}),
  }
}
