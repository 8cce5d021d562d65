/** The methods of a store in memory that change nothing. */

import { dirname } from 'node:path'
import {
  type EventRange,
  type EventText,
  type RunFilter,
  type RunMaker,
  type Store,
  storeErrors,
} from '../../engine/index.ts'
import type { RunId, RunState } from '../../loop/index.ts'
import { type MemoryData, newestFirst, requireRun, toRow } from './memory-data.ts'
import {
  asksOf,
  checkpointsOf,
  createdEvent,
  type KeptEvent,
  type MemoryRun,
  toRecorded,
  triesOf,
} from './memory-run.ts'

type RunReads = 'findRun' | 'listRuns' | 'pageRuns' | 'countRuns' | 'makerOfGit' | 'hasRemoved'

export function createRunReads(data: MemoryData): Pick<Store, RunReads> {
  return {
    findRun: async (text) => toRow(data, find(data, text)),
    listRuns: async ({ status, limit = 1000 } = {}) =>
      newestFirst(data)
        .filter((run) => status === undefined || run.status === status)
        .slice(0, limit)
        .map((run) => toRow(data, run)),
    async pageRuns({ limit = 100, before = Number.POSITIVE_INFINITY, ...filter } = {}) {
      const found = newestFirst(data).filter((run) => run.key < before && fits(run, filter))
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return {
        runs: page.map((run) => toRow(data, run)),
        ...(found.length > limit && last !== undefined ? { next: last.key } : {}),
      }
    },
    async countRuns() {
      const counts: Record<string, number> = {}
      for (const { status } of data.runs.values()) counts[status] = (counts[status] ?? 0) + 1
      return counts
    },
    makerOfGit: async (folder) => makerOfGit(data, folder),
    hasRemoved: async () => data.hasRemoved,
  }
}

function find(data: MemoryData, text: string): MemoryRun {
  const runs = [...data.runs.values()]
  const exact = runs.find(({ id, name }) => id === text || name === text)
  if (exact !== undefined) return exact
  const beginning = text.toLowerCase()
  const begins = (whole: string): boolean => whole.toLowerCase().startsWith(beginning)
  const found = runs.filter(({ id, name }) => begins(id) || begins(name))
  const [only] = found
  if (only === undefined || text === '') throw storeErrors.unknownRun(text)
  if (found.length > 1) throw storeErrors.ambiguousRun(text, found.slice(0, 6))
  return only
}

function fits(run: MemoryRun, filter: RunFilter): boolean {
  const { status, workspace, loop, name, createdAfterMs, createdBeforeMs } = filter
  const repository = createdEvent(run).worktree?.repository.replace(/\/\.git$/, '')
  return (
    (status === undefined || status.includes(run.status)) &&
    (workspace === undefined || run.workspace === workspace || repository === workspace) &&
    (loop === undefined || run.loop === loop) &&
    (name === undefined || run.name.startsWith(name)) &&
    (createdAfterMs === undefined || run.createdAtMs > createdAfterMs) &&
    (createdBeforeMs === undefined || run.createdAtMs < createdBeforeMs)
  )
}

function makerOfGit(data: MemoryData, folder: string): RunMaker | undefined {
  for (const run of data.runs.values()) {
    const { name, workspace } = run
    if (workspace === undefined) continue
    const isMaker =
      workspace === folder ? createdEvent(run).withoutGit === true : isAbove(workspace, folder)
    if (isMaker) return { name, workspace }
  }
  return undefined
}

function isAbove(outer: string, folder: string): boolean {
  const above = dirname(folder)
  return above !== folder && (above === outer || isAbove(outer, above))
}

type EventReads =
  | 'snapshot'
  | 'read'
  | 'readStore'
  | 'readTexts'
  | 'readStoreTexts'
  | 'readEvidence'
  | 'checkpoints'
  | 'boundaryBefore'
  | 'lastPosition'
  | 'changedRuns'

export function createEventReads(data: MemoryData): Pick<Store, EventReads> {
  const ofRun = (id: RunId, range: EventRange = {}): readonly KeptEvent[] => {
    const { afterSeq = 0, toSeq = Number.POSITIVE_INFINITY, limit = 10_000, types } = range
    const found = requireRun(data, id).events.filter(
      ({ seq, type }) =>
        seq > afterSeq && seq <= toSeq && (types === undefined || types.includes(type)),
    )
    return cutAt(found.slice(0, limit), range.bytesMax)
  }
  const ofStore = (range: Parameters<Store['readStore']>[0]) => {
    const all = [...data.runs.values()].flatMap(({ id, events }) =>
      events.map((kept) => ({ ...kept, id })),
    )
    const found = all
      .filter(({ position }) => position > range.afterPosition)
      .toSorted((one, other) => one.position - other.position)
    return cutAt(found.slice(0, range.limit), range.bytesMax)
  }
  return {
    async snapshot(run) {
      const { snapshot } = requireRun(data, run)
      return snapshot === undefined ? undefined : (JSON.parse(snapshot) as RunState)
    },
    read: async (run, range) => ofRun(run, range).map((kept) => toRecorded(run, kept)),
    readStore: async (range) => ofStore(range).map((kept) => toRecorded(kept.id, kept)),
    readTexts: async (run, range) => ofRun(run, range).map((kept) => toText(run, kept)),
    readStoreTexts: async (range) => ofStore(range).map((kept) => toText(kept.id, kept)),
    async readEvidence(run, { afterSeq, limit }) {
      const ends = requireRun(data, run).events.filter(({ seq }) => seq > afterSeq)
      return ends
        .map((kept) => toRecorded(run, kept))
        .filter(({ event }) => event.type === 'step-finished' && event.evidence !== undefined)
        .slice(0, limit)
    },
    checkpoints: async (run) => checkpointsOf(requireRun(data, run)),
    async boundaryBefore(run, seq) {
      const seqs = checkpointsOf(requireRun(data, run)).map((checkpoint) => checkpoint.seq)
      return Math.max(0, ...seqs.filter((one) => one <= seq))
    },
    lastPosition: async () =>
      ofStore({ afterPosition: 0, limit: Number.POSITIVE_INFINITY }).at(-1)?.position ?? 0,
    async changedRuns(afterPosition) {
      const changed = ofStore({ afterPosition, limit: Number.POSITIVE_INFINITY })
      return {
        position: changed.at(-1)?.position ?? afterPosition,
        runs: [...new Set(changed.map(({ id }) => id))],
      }
    },
  }
}

/** Stops after the event that reaches the limit. */
function cutAt<Kept extends KeptEvent>(
  events: readonly Kept[],
  bytesMax = Number.POSITIVE_INFINITY,
): readonly Kept[] {
  let bytes = 0
  return events.filter(({ json }) => {
    const isIn = bytes < bytesMax
    bytes += json.length
    return isIn
  })
}

function toText(run: RunId, kept: KeptEvent): EventText {
  const { seq, position, type } = kept
  return { seq, position, type, json: JSON.stringify(toRecorded(run, kept)) }
}

type OtherReads =
  | 'tried'
  | 'pendingDecisions'
  | 'questions'
  | 'facts'
  | 'namedContent'
  | 'integrityProblems'
  | 'damagedRows'

export function createOtherReads(data: MemoryData): Pick<Store, OtherReads> {
  return {
    tried: async (fingerprint) =>
      newestFirst(data)
        .flatMap((run) =>
          triesOf(run)
            .filter((one) => one.fingerprint === fingerprint)
            .toReversed()
            .map(({ iteration, seq }) => ({ run: run.id, iteration, seq })),
        )
        .slice(0, 50),
    pendingDecisions: async (run) =>
      requireRun(data, run)
        .decisions.filter(({ isApplied }) => !isApplied)
        .map(({ stored }) => stored),
    async questions({ limit, after }) {
      const rows = [...data.runs.values()].flatMap((run) =>
        openQuestions(run).map((ask) => ({ ask, run })),
      )
      const rank = (deadlineAtMs: number, key: number, id: string) => ({ deadlineAtMs, key, id })
      const from = after && rank(after.deadlineAtMs, data.runs.get(after.run)?.key ?? 0, after.id)
      return rows
        .map((row) => ({ ...row, rank: rank(row.ask.deadlineAtMs, row.run.key, row.ask.id) }))
        .toSorted((one, other) => compare(one.rank, other.rank))
        .filter((row) => from === undefined || compare(row.rank, from) > 0)
        .slice(0, limit)
        .map(({ ask, run: { id: run, name } }) => ({ run, name, ...ask }))
    },
    facts: async (run) => new Map(structuredClone(requireRun(data, run).facts)),
    async namedContent() {
      const runs = [...data.runs.values()]
      const blobs = new Set(runs.flatMap((run) => [...run.blobs]))
      const trees = new Set(runs.flatMap((run) => [...run.trees]))
      return [
        ...[...blobs].map((hash) => ({ hash, isTree: false })),
        ...[...trees].map((hash) => ({ hash, isTree: true })),
      ]
    },
    integrityProblems: async () => [],
    damagedRows: async () => [],
  }
}

/** A question that has an answer only waits for its run to take it. */
export function openQuestions(run: MemoryRun): ReturnType<typeof asksOf> {
  const answered = run.decisions.filter(({ isApplied }) => !isApplied)
  return asksOf(run).filter(({ id }) => answered.every(({ question }) => question !== id))
}

interface Rank {
  readonly deadlineAtMs: number
  readonly key: number
  readonly id: string
}

function compare(one: Rank, other: Rank): number {
  if (one.deadlineAtMs !== other.deadlineAtMs) return one.deadlineAtMs - other.deadlineAtMs
  if (one.key !== other.key) return one.key - other.key
  return one.id < other.id ? -1 : Number(one.id > other.id)
}
