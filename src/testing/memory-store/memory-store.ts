/**
 * A store in memory that keeps the whole contract of the port and shares no code with the one in SQLite:
 * what follows from events is computed from them, and every change is made in one turn of the event loop.
 * For tests. Time is proportional to the number of events, and nothing survives the process.
 */

import { type LocalOwners, requireDecision, type Store, storeErrors } from '../../engine/index.ts'
import { defined, isEnd, LoopError } from '../../loop/index.ts'
import { type StateSummary, summarizeState } from '../../loop/run-summary.ts'
import { insertRun, type Listener, type MemoryData, notify, requireRun } from './memory-data.ts'
import { applyUnit } from './memory-decisions.ts'
import { createMemoryLeases, requireFree, verify } from './memory-leases.ts'
import { createMemoryMemories } from './memory-memories.ts'
import { createMemoryMerges, forgetMerges } from './memory-merges.ts'
import { createMemoryQueue } from './memory-queue.ts'
import { createEventReads, createOtherReads, createRunReads } from './memory-reads.ts'
import { keepEvent, lastEvent, triesOf } from './memory-run.ts'
import { createMemorySchedules } from './memory-schedules.ts'
import { createSummaryReads } from './memory-summaries.ts'
import { createMemoryTrust } from './memory-trust.ts'

/** Options of `createMemoryStore`. */
export interface MemoryStoreOptions {
  readonly now?: () => number
  readonly owners?: LocalOwners
}

/** A store in memory that several connections share. */
export interface MemoryStores {
  /** A connection, such as each process has. */
  open(): Store
}

/** One store and the connections to it. */
export function createMemoryStores(options: MemoryStoreOptions = {}): MemoryStores {
  const data: MemoryData = {
    runs: new Map(),
    requests: new Map(),
    merges: new Map(),
    mergeLeases: new Map(),
    memories: [],
    lastMemory: 0,
    levelChanges: [],
    schedules: new Map(),
    scheduling: { settings: 'null', changes: 0, lastTick: 0 },
    listeners: new Set(),
    lastKey: 0,
    lastPosition: 0,
    lastDecision: 0,
    hasRemoved: false,
    now: options.now ?? (() => Date.now()),
    owners: options.owners,
  }
  return { open: () => openConnection(data) }
}

/** A store in memory, with one connection. */
export const createMemoryStore = (options?: MemoryStoreOptions): Store =>
  createMemoryStores(options).open()

function openConnection(data: MemoryData): Store {
  const own = new Set<Listener>()
  let isClosed = false
  const methods = {
    ...createRunReads(data),
    ...createSummaryReads(data),
    ...createEventReads(data),
    ...createOtherReads(data),
    ...createMemoryLeases(data),
    ...createMemoryWrites(data),
  }
  const guarded = <Method extends (...args: never[]) => Promise<unknown>>(method: Method): Method =>
    (async (...args: Parameters<Method>) => {
      if (isClosed) throw closed()
      return method(...args)
    }) as unknown as Method
  return {
    ...mapMethods(methods, guarded),
    queue: mapMethods(createMemoryQueue(data), guarded),
    merges: mapMethods(createMemoryMerges(data), guarded),
    memory: mapMethods(createMemoryMemories(data), guarded),
    trust: mapMethods(createMemoryTrust(data), guarded),
    schedules: mapMethods(createMemorySchedules(data), guarded),
    watch(topic, onChange) {
      const listener = { topic, onChange }
      if (isClosed) return () => undefined
      own.add(listener)
      data.listeners.add(listener)
      return () => {
        own.delete(listener)
        data.listeners.delete(listener)
      }
    },
    async close() {
      isClosed = true
      const listeners = [...own]
      own.clear()
      for (const listener of listeners) data.listeners.delete(listener)
      // A waiting reader checks once more, and finds the store closed.
      for (const { onChange } of listeners) onChange()
    },
  }
}

/** The same object with every method changed. */
function mapMethods<Methods extends object>(
  methods: Methods,
  change: <Method extends (...args: never[]) => Promise<unknown>>(method: Method) => Method,
): Methods {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, change(method)]),
  ) as Methods
}

const closed = (): LoopError =>
  new LoopError('store-failed', 'The store is closed. This change was not saved.')

type Write = 'createRun' | 'append' | 'recordDecision' | 'removeRun' | 'forgetTried' | 'setFact'

function createMemoryWrites(data: MemoryData): Pick<Store, Write> {
  return {
    async createRun(run) {
      insertRun(data, run)
      notify(data, 'events')
    },
    async append(lease, unit) {
      const run = verify(data, lease)
      const { seq: lastSeq } = lastEvent(run)
      if (unit.firstSeq !== lastSeq + 1) throw storeErrors.outOfPlace(unit.firstSeq, lastSeq)
      const { status } = unit.state
      // The last thing that can be refused: from here on everything is kept.
      run.decisions = applyUnit(run.decisions, unit, isEnd(status))
      const events = unit.events.map((event, index) =>
        keepEvent(event, unit.firstSeq + index, data.lastPosition + 1 + index, unit.atMs),
      )
      data.lastPosition += events.length
      run.events = [...run.events, ...events]
      run.status = status
      const before =
        run.summary === undefined ? undefined : (JSON.parse(run.summary) as StateSummary)
      run.summary = JSON.stringify(summarizeState(unit.state, before))
      if (unit.boundary !== undefined) run.snapshot = JSON.stringify(unit.boundary)
      for (const blob of unit.blobs) run.blobs.add(blob)
      for (const tree of unit.trees) run.trees.add(tree)
      notify(data, 'events')
    },
    async recordDecision(id, decision, by, atMs, claimedBy) {
      const run = requireRun(data, id)
      requireDecision(decision)
      if (isEnd(run.status)) throw storeErrors.alreadyEnded(run.name, run.status)
      const question = decision.type === 'answer' ? decision.question : undefined
      if (question !== undefined && run.decisions.some((one) => one.question === question)) {
        throw storeErrors.alreadyAnswered(question)
      }
      data.lastDecision += 1
      const stored = structuredClone({
        id: data.lastDecision,
        by,
        atMs,
        ...defined({ claimedBy }),
        decision,
      })
      run.decisions = [...run.decisions, { stored, question, isApplied: false }]
      notify(data, 'decisions')
      return stored
    },
    async removeRun(id, { force = false } = {}) {
      const run = requireRun(data, id)
      requireFree(data, run)
      if (!force && !isEnd(run.status)) throw storeErrors.notEnded(run.name, run.status)
      data.runs.delete(id)
      for (const [key, request] of data.requests) if (request.run === id) data.requests.delete(key)
      forgetMerges(data, id)
      data.hasRemoved = true
      notify(data, 'events')
    },
    async forgetTried(id) {
      const runs = id === undefined ? [...data.runs.values()] : [requireRun(data, id)]
      const tries = runs.map((run) => triesOf(run).length)
      for (const run of runs) run.triedAfterSeq = lastEvent(run).seq
      return tries.reduce((sum, count) => sum + count, 0)
    },
    async setFact(id, name, fact) {
      requireRun(data, id).facts.set(name, structuredClone(fact))
    },
  }
}
