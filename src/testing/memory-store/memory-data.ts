/** What outlives the connections to a store in memory, and what all of its methods share. */

import {
  type LevelChange,
  type LocalOwners,
  type Memory,
  type NewRun,
  type RequestKey,
  type RunRow,
  storeErrors,
  type Topic,
} from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import {
  checkpointsOf,
  createdEvent,
  type KeptLease,
  lastEvent,
  type MemoryRun,
  newMemoryRun,
} from './memory-run.ts'

export interface MemoryData {
  readonly runs: Map<RunId, MemoryRun>
  readonly requests: Map<string, RequestKey & { readonly run: RunId; readonly atMs: number }>
  /** In the order of the requests. */
  readonly merges: Map<string, MemoryMerge>
  readonly mergeLeases: Map<string, KeptLease>
  /** In the order in which they were stored. */
  memories: readonly Memory[]
  lastMemory: number
  /** In the order in which they were stored. */
  levelChanges: readonly LevelChange[]
  /** By id. */
  readonly schedules: Map<string, MemorySchedule>
  readonly scheduling: { settings: string; changes: number; lastTick: number }
  readonly listeners: Set<Listener>
  /** Neither is used twice, whatever is removed. */
  lastKey: number
  lastPosition: number
  lastDecision: number
  hasRemoved: boolean
  readonly now: () => number
  readonly owners: LocalOwners | undefined
}

/** A request to merge work, as text: nothing in it is shared with the caller. */
export interface MemoryMerge {
  readonly request: string
  progress: string
}

/** A schedule and its ticks, as text: nothing in it is shared with the caller. */
export interface MemorySchedule {
  readonly name: string
  row: string
  /** The oldest first. */
  ticks: readonly MemoryTick[]
}

export interface MemoryTick {
  readonly order: number
  readonly tick: string
  readonly atMs: number
  readonly body: string
}

export interface Listener {
  readonly topic: Topic
  readonly onChange: () => void
}

export function requireRun({ runs }: MemoryData, id: RunId): MemoryRun {
  const run = runs.get(id)
  if (run === undefined) throw storeErrors.unknownRun(id)
  return run
}

export const newestFirst = ({ runs }: MemoryData): readonly MemoryRun[] =>
  [...runs.values()].toSorted((one, other) => other.key - one.key)

export function notify({ listeners }: MemoryData, topic: Topic): void {
  const called = [...listeners].filter((listener) => listener.topic === topic)
  for (const { onChange } of called) onChange()
}

export function insertRun(data: MemoryData, run: NewRun): MemoryRun {
  const { event } = run
  if (event.type === 'run-created' && event.origin?.type === 'fork') {
    requireRun(data, event.origin.run)
  }
  const isTaken = [...data.runs.values()].some(({ id, name }) => id === run.id || name === run.name)
  if (isTaken) throw storeErrors.nameTaken(run.name)
  data.lastKey += 1
  data.lastPosition += 1
  const kept = newMemoryRun(data.lastKey, run, data.lastPosition)
  data.runs.set(run.id, kept)
  return kept
}

export const isHeld = (data: MemoryData, { lease }: MemoryRun): boolean => isLeaseHeld(data, lease)

export function isLeaseHeld(
  { now, owners }: MemoryData,
  { owner, expiresAtMs }: KeptLease,
): boolean {
  return owner !== undefined && expiresAtMs > now() && owners?.isDead(owner) !== true
}

export function toRow(data: MemoryData, run: MemoryRun): RunRow {
  const { id, name, loop, status, workspace, createdAtMs } = run
  const held = isHeld(data, run)
  const last = lastEvent(run)
  const repository = createdEvent(run).worktree?.repository.replace(/\/\.git$/, '')
  return {
    id,
    name,
    loop,
    status,
    iteration: checkpointsOf(run).at(-1)?.iteration ?? createdEvent(run).iteration ?? 0,
    createdAtMs,
    updatedAtMs: last.atMs,
    lastSeq: last.seq,
    held,
    interrupted: !held && (status === 'running' || status === 'waiting'),
    ...(workspace === undefined ? {} : { workspace }),
    ...(repository === undefined ? {} : { repository }),
  }
}
