/** The real store, as a process that can die sees it: every answer takes a moment, or never comes. */

import type { Memories, MergeQueue, RunQueue, Schedules, Store, Trust } from '#src/engine/index.ts'
import type { Lane } from '#src/testing/simulated-time.ts'
import type { SimulatedWorld } from './simulated-world.ts'

type Asynchronous<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>

/** Makes a method answer as it does for a process of the simulation. */
type Delay = <Args extends readonly unknown[], Result>(
  method: Asynchronous<Args, Result>,
) => Asynchronous<Args, Result>

export function simulatedStore(inner: Store, lane: Lane, world: SimulatedWorld): Store {
  async function unlessDead<T>(work: Promise<T>): Promise<T> {
    const end = await work.then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error
      },
    )
    if (lane.state === 'dead') await new Promise(() => undefined)
    return end()
  }

  const delayed: Delay =
    (method) =>
    async (...args) => {
      await world.hop(lane)
      return unlessDead(method(...args))
    }

  return {
    ...delayedReads(inner, delayed),
    createRun: delayed(inner.createRun),
    acquire: delayed(async (run, owner) => {
      const lease = await inner.acquire(run, owner)
      world.took(lease, lane)
      return lease
    }),
    acquireIdle: delayed(async (run, owner) => {
      const lease = await inner.acquireIdle(run, owner)
      world.took(lease, lane)
      return lease
    }),
    renew: delayed(inner.renew),
    release: delayed(inner.release),
    // Without a moment before it: units are given in the order of their events.
    append: (lease, unit) =>
      unlessDead(inner.append(lease, unit)).then(() => {
        world.wrote(lease, unit)
        world.changed('events', lane)
      }),
    recordDecision: async (...decision) => {
      const stored = await delayed(inner.recordDecision)(...decision)
      world.changed('decisions', lane)
      return stored
    },
    removeRun: delayed(inner.removeRun),
    forgetTried: delayed(inner.forgetTried),
    setFact: delayed(inner.setFact),
    queue: delayedQueue(inner.queue, delayed),
    merges: delayedMerges(inner.merges, delayed),
    memory: delayedMemories(inner.memory, delayed),
    trust: delayedTrust(inner.trust, delayed),
    schedules: delayedSchedules(inner.schedules, delayed),
    watch: (topic, onChange) => world.watch(topic, lane, onChange),
    close: () => inner.close(),
  }
}

function delayedReads(inner: Store, delayed: Delay) {
  return {
    findRun: delayed(inner.findRun),
    listRuns: delayed(inner.listRuns),
    pageRuns: delayed(inner.pageRuns),
    pageSummaries: delayed(inner.pageSummaries),
    countRuns: delayed(inner.countRuns),
    makerOfGit: delayed(inner.makerOfGit),
    hasRemoved: delayed(inner.hasRemoved),
    snapshot: delayed(inner.snapshot),
    read: delayed(inner.read),
    readStore: delayed(inner.readStore),
    readTexts: delayed(inner.readTexts),
    readStoreTexts: delayed(inner.readStoreTexts),
    readEvidence: delayed(inner.readEvidence),
    checkpoints: delayed(inner.checkpoints),
    boundaryBefore: delayed(inner.boundaryBefore),
    tried: delayed(inner.tried),
    lastPosition: delayed(inner.lastPosition),
    changedRuns: delayed(inner.changedRuns),
    pendingDecisions: delayed(inner.pendingDecisions),
    questions: delayed(inner.questions),
    facts: delayed(inner.facts),
    namedContent: delayed(inner.namedContent),
    integrityProblems: delayed(inner.integrityProblems),
    damagedRows: delayed(inner.damagedRows),
  } satisfies Partial<Store>
}

const delayedQueue = (queue: RunQueue, delayed: Delay): RunQueue => ({
  create: delayed(queue.create),
  put: delayed(queue.put),
  remove: delayed(queue.remove),
  row: delayed(queue.row),
  list: delayed(queue.list),
  open: delayed(queue.open),
  request: delayed(queue.request),
})

const delayedMerges = (merges: MergeQueue, delayed: Delay): MergeQueue => ({
  add: delayed(merges.add),
  row: delayed(merges.row),
  open: delayed(merges.open),
  listOpen: delayed(merges.listOpen),
  listNewest: delayed(merges.listNewest),
  ofRun: delayed(merges.ofRun),
  landed: delayed(merges.landed),
  isHeld: delayed(merges.isHeld),
  acquire: delayed(merges.acquire),
  renew: delayed(merges.renew),
  release: delayed(merges.release),
  update: delayed(merges.update),
})

const delayedMemories = (memory: Memories, delayed: Delay): Memories => ({
  add: delayed(memory.add),
  newest: delayed(memory.newest),
  relevant: delayed(memory.relevant),
  get: delayed(memory.get),
  list: delayed(memory.list),
  forget: delayed(memory.forget),
})

const delayedSchedules = (schedules: Schedules, delayed: Delay): Schedules => ({
  add: delayed(schedules.add),
  list: delayed(schedules.list),
  find: delayed(schedules.find),
  remove: delayed(schedules.remove),
  update: delayed(schedules.update),
  ticks: delayed(schedules.ticks),
  tick: delayed(schedules.tick),
  ticksSince: delayed(schedules.ticksSince),
  settings: delayed(schedules.settings),
  saveSettings: delayed(schedules.saveSettings),
  changes: delayed(schedules.changes),
})

const delayedTrust = (trust: Trust, delayed: Delay): Trust => ({
  record: delayed(trust.record),
  current: delayed(trust.current),
  changes: delayed(trust.changes),
})
