/** Shared by the tests of the engine: a world on a manual clock, and copies of its past. */

import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { driveRun } from '../../src/engine/drive-run.ts'
import {
  type AnyLoopType,
  createRun,
  type DriveEnd,
  type DriveOptions,
  loadRun,
  type Ports,
  type Store,
  type Workspace,
} from '../../src/engine/index.ts'
import {
  type Decision,
  evolve,
  initialState,
  type Json,
  type Limits,
  type LoopType,
  type RecordedEvent,
  type RunEvent,
  type RunId,
  type RunState,
  type TreeId,
} from '../../src/loop/index.ts'
import { createFakeCertifier } from '../../src/testing/fake-certifier.ts'
import { createManualClock, type ManualClock } from '../../src/testing/manual-clock.ts'
import { memoryBlobs } from '../../src/testing/memory-blobs.ts'
import { openLocalStore } from '../../src/testing/open-local-store.ts'

/** A loop of one iteration by default; progress is what it returned, context the previous one. */
export function loopOf<Progress = Json>(
  iterate: LoopType<Json, Progress | undefined, Progress, Progress>['iterate'],
  others: Partial<LoopType<Json, Progress | undefined, Progress, Progress>> = {},
): LoopType<Json, Progress | undefined, Progress, Progress> {
  return {
    name: 'story',
    createContext: (_input, previous) => previous,
    iterate,
    extractProgress: (result) => result,
    until: [{ type: 'max-iterations', iterations: 1 }],
    ...others,
  }
}

export interface StartOptions {
  readonly input?: Json
  readonly limits?: Partial<Limits>
  readonly workspace?: string
}

export interface World {
  readonly clock: ManualClock
  readonly journal: Store
  readonly blobs: ReturnType<typeof memoryBlobs>
  readonly ports: Ports
  start(loop: AnyLoopType, options?: StartOptions): Promise<RunId>
  drive(run: RunId, loop: AnyLoopType, options?: Partial<DriveOptions>): Promise<DriveEnd>
  /** Drives to the end or to a suspension, however long it takes. */
  finish(run: RunId, loop: AnyLoopType, options?: Partial<DriveOptions>): Promise<DriveEnd>
  events(run: RunId): Promise<readonly RecordedEvent[]>
  /** The events of one type, in order. */
  only<T extends RunEvent['type']>(
    run: RunId,
    type: T,
  ): Promise<readonly Extract<RunEvent, { type: T }>[]>
  state(run: RunId): Promise<RunState>
  decide(run: RunId, decision: Decision, by?: string): Promise<void>
}

export interface WorldOptions extends Partial<Ports> {
  readonly startMs?: number
}

export function createWorld(options: WorldOptions = {}): World {
  const { startMs, ...parts } = options
  const clock = createManualClock(startMs)
  const journal = openLocalStore({ path: ':memory:', now: () => clock.now() })
  const blobs = memoryBlobs()
  const certifier = createFakeCertifier()
  const ports: Ports = { journal, blobs, clock, certifier, ...parts }
  const events = async (run: RunId) => journal.read(run)
  const drive: World['drive'] = (run, loop, more) =>
    driveRun(run, loop, ports, { owner: 'me', ...more })
  return {
    clock,
    journal,
    blobs,
    ports,
    async start(loop, { input = null, limits = {}, workspace } = {}) {
      const id = idOf(uuidv7())
      const place = workspace === undefined ? {} : { workspace }
      await createRun(loop, ports, { id, name: `run ${id}`, input, limits, ...place })
      return id
    },
    drive,
    finish: (run, loop, more) => clock.pass(drive(run, loop, more)),
    events,
    only: async (run, type) =>
      (await events(run)).map(({ event }) => event).filter((event) => isOfType(event, type)),
    state: async (run) => (await loadRun(journal, run)).state,
    async decide(run, decision, by = 'ada') {
      await journal.recordDecision(run, decision, by, clock.now())
    },
  }
}

const isOfType = <T extends RunEvent['type']>(
  event: RunEvent,
  type: T,
): event is Extract<RunEvent, { type: T }> => event.type === type

/** Any text as an id of a run. */
export const idOf = (text: string): RunId => JSON.parse(JSON.stringify(text))

/** Waits, in turns and not in time, until a condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5000; turn++) {
    if (holds()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('it never came to be')
}

/** A promise with its resolvers. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

export function deferred<T = void>(): Deferred<T> {
  const ends: { resolve?: (value: T) => void; reject?: (error: unknown) => void } = {}
  const promise = new Promise<T>((resolve, reject) => {
    Object.assign(ends, { resolve, reject })
  })
  return {
    promise,
    resolve: (value) => ends.resolve?.(value),
    reject: (error) => ends.reject?.(error),
  }
}

/** The result of every step that has one, by iteration and id. */
export function stepResults(events: readonly RecordedEvent[]): ReadonlyMap<string, unknown> {
  const results = new Map<string, unknown>()
  for (const { event } of events) {
    if (event.type === 'step-finished') {
      results.set(`${event.iteration} ${event.step}`, event.result)
    }
    if (event.type === 'step-failed' && event.retryAtMs === undefined) {
      results.set(`${event.iteration} ${event.step}`, event.fault)
    }
  }
  return results
}

/** After how many events a process may be killed: an answer and the end of its step are one unit. */
export const moments = (events: readonly RecordedEvent[]): number[] =>
  events.flatMap(({ event, seq }) =>
    event.type === 'decision-applied' && event.decision.type === 'answer' ? [] : [seq],
  )

/**
 * Another world in which only the first events of a run happened, as after a kill at that moment.
 * What people decided is known there from the start.
 */
export async function worldAfter(
  events: readonly RecordedEvent[],
  count: number,
  parts: WorldOptions = {},
): Promise<World> {
  const last = events[count - 1]
  const first = events[0]
  if (first === undefined || last === undefined) throw new Error('there is no such moment')
  const world = createWorld({ startMs: last.atMs + 1, ...parts })
  const { run, atMs, event } = first
  const loop = event.type === 'run-created' ? event.loop : ''
  await world.journal.createRun({ id: run, name: run, loop, atMs, event, blobs: [], trees: [] })
  for (const [index, { event: later }] of events.entries()) {
    if (later.type !== 'decision-applied') continue
    // A default is used at its deadline, by the process that waits for it.
    if (later.by === 'default' && index >= count) continue
    await world.journal.recordDecision(run, later.decision, later.by, atMs)
  }
  const lease = await world.journal.acquire(run, 'the past')
  let state = evolve(initialState, first)
  for (const recorded of events.slice(1, count)) {
    state = evolve(state, recorded)
    await world.journal.append(lease, {
      firstSeq: recorded.seq,
      atMs: recorded.atMs,
      events: [recorded.event],
      state,
      boundary: state.open === undefined ? state : undefined,
      blobs: [],
      trees: [],
    })
  }
  await world.journal.release(lease)
  return world
}

export interface MemoryWorkspace extends Workspace {
  readonly files: Map<string, string>
  /** All trees that were ever stored; if shared, they survive a crash. */
  readonly trees: Map<TreeId, readonly (readonly [string, string])[]>
  readonly restored: TreeId[]
}

/** Files in memory. */
export function memoryWorkspace(
  initial: Readonly<Record<string, string>> = {},
  trees: MemoryWorkspace['trees'] = new Map(),
): MemoryWorkspace {
  const files = new Map(Object.entries(initial))
  const restored: TreeId[] = []
  return {
    path: '/memory',
    files,
    trees,
    restored,
    exists: async () => true,
    async snapshot() {
      const entries = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))
      const tree = treeOf(createHash('sha256').update(JSON.stringify(entries)).digest('hex'))
      trees.set(tree, entries)
      return tree
    },
    async restore(tree) {
      const entries = trees.get(tree)
      if (entries === undefined) throw new Error(`there is no tree ${tree}`)
      restored.push(tree)
      files.clear()
      for (const [path, text] of entries) files.set(path, text)
    },
  }
}

export const treeOf = (text: string): TreeId => JSON.parse(JSON.stringify(text))
