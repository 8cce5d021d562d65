/** The merge queue in memory. */

import {
  leaseTtlMs,
  type MergeLease,
  type MergeLine,
  type MergeProgress,
  type MergeQueue,
  type MergeRow,
  type NewMerge,
  storeErrors,
} from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import { isLeaseHeld, type MemoryData, type MemoryMerge, requireRun } from './memory-data.ts'
import type { KeptLease } from './memory-run.ts'

export function createMemoryMerges(data: MemoryData): MergeQueue {
  const { merges } = data
  const all = (): readonly MergeRow[] => [...merges.values()].map((one) => toRow(data, one))
  const open = (): readonly MergeRow[] => all().filter(isOpen)
  return {
    async add(request) {
      requireRun(data, request.run)
      const known = merges.get(request.key)
      const kept = known ?? {
        request: JSON.stringify(request),
        progress: JSON.stringify({ state: 'queued' }),
      }
      merges.set(request.key, kept)
      return toRow(data, kept)
    },
    async row(key) {
      const found = merges.get(key)
      return found === undefined ? undefined : toRow(data, found)
    },
    open: async (line) => open().filter((row) => isIn(row, line)),
    listOpen: async () => open(),
    listNewest: async (limit) => all().toReversed().slice(0, limit),
    async ofRun(run) {
      requireRun(data, run)
      return all().filter((row) => row.run === run)
    },
    landed: async (line, limit) =>
      all()
        .filter((row) => row.progress.state === 'merged' && isIn(row, line))
        .toReversed()
        .slice(0, limit),
    isHeld: async (line) => isTaken(data, data.mergeLeases.get(nameOf(line))),
    async acquire(line, owner) {
      const held = data.mergeLeases.get(nameOf(line))
      if (isTaken(data, held)) return undefined
      const { repository, target } = line
      const fence = (held?.fence ?? 0) + 1
      keepLease(data, line, { owner, fence })
      return { repository, target, owner, fence }
    },
    renew: async (lease) => verify(data, lease),
    async release(lease) {
      const held = data.mergeLeases.get(nameOf(lease))
      if (held?.fence === lease.fence) keepLease(data, lease, { ...held, owner: undefined })
    },
    async update(lease, changes) {
      verify(data, lease)
      for (const { key, progress } of changes) {
        const kept = merges.get(key)
        if (kept !== undefined) kept.progress = JSON.stringify(progress)
      }
    },
  }
}

export function forgetMerges({ merges }: MemoryData, run: RunId): void {
  for (const [key, { request }] of merges) {
    if ((JSON.parse(request) as NewMerge).run === run) merges.delete(key)
  }
}

const isTaken = (data: MemoryData, held: KeptLease | undefined): boolean =>
  held !== undefined && isLeaseHeld(data, held)

const nameOf = ({ repository, target }: MergeLine): string => `${repository}\0${target}`

const isIn = (row: MergeLine, line: MergeLine): boolean => nameOf(row) === nameOf(line)

const isOpen = ({ position }: MergeRow): boolean => position !== undefined

const keepLease = (
  { mergeLeases, now }: MemoryData,
  line: MergeLine,
  { owner, fence }: Pick<KeptLease, 'owner' | 'fence'>,
): void => void mergeLeases.set(nameOf(line), { owner, fence, expiresAtMs: now() + leaseTtlMs })

function verify(data: MemoryData, lease: MergeLease): void {
  const held = data.mergeLeases.get(nameOf(lease))
  if (held?.fence !== lease.fence || held.owner !== lease.owner) {
    throw storeErrors.lineFenced(lease.target)
  }
  keepLease(data, lease, held)
}

function toRow(data: MemoryData, { request, progress }: MemoryMerge): MergeRow {
  const wanted = JSON.parse(request) as NewMerge
  const row = {
    ...wanted,
    name: requireRun(data, wanted.run).name,
    progress: JSON.parse(progress) as MergeProgress,
  }
  return isWaiting(progress) ? { ...row, position: countAhead(data, wanted) + 1 } : row
}

const isWaiting = (progress: string): boolean =>
  ['queued', 'merging'].includes((JSON.parse(progress) as MergeProgress).state)

function countAhead({ merges }: MemoryData, wanted: NewMerge): number {
  const before = [...merges.values()]
    .map(({ request, progress }) => ({ ...(JSON.parse(request) as NewMerge), progress }))
    .filter((one) => isIn(one, wanted) && isWaiting(one.progress))
  return Math.max(
    0,
    before.findIndex(({ key }) => key === wanted.key),
  )
}
