/** The real journal, as a process that can die sees it: every answer takes a moment, or never comes. */

import type { Journal } from '../../engine/index.ts'
import type { Lane } from '../simulated-time.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export function simulatedJournal(inner: Journal, lane: Lane, world: SimulatedWorld): Journal {
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

  async function answered<T>(work: () => Promise<T>): Promise<T> {
    await world.hop(lane)
    return unlessDead(work())
  }

  return {
    createRun: (run) => answered(() => inner.createRun(run)),
    findRun: (run) => answered(() => inner.findRun(run)),
    listRuns: (options) => answered(() => inner.listRuns(options)),
    acquire: (run, owner) =>
      answered(async () => {
        const lease = await inner.acquire(run, owner)
        world.took(lease, lane)
        return lease
      }),
    renew: (lease) => answered(() => inner.renew(lease)),
    release: (lease) => answered(() => inner.release(lease)),
    // Without a moment before it: units are given in the order of their events.
    append: (lease, unit) =>
      unlessDead(inner.append(lease, unit)).then(() => {
        world.wrote(lease, unit)
        world.changed('events', lane)
      }),
    snapshot: (run) => answered(() => inner.snapshot(run)),
    read: (run, options) => answered(() => inner.read(run, options)),
    readStore: (options) => answered(() => inner.readStore(options)),
    checkpoints: (run) => answered(() => inner.checkpoints(run)),
    tried: (fingerprint) => answered(() => inner.tried(fingerprint)),
    recordDecision: async (...decision) => {
      const stored = await answered(() => inner.recordDecision(...decision))
      world.changed('decisions', lane)
      return stored
    },
    pendingDecisions: (run) => answered(() => inner.pendingDecisions(run)),
    watch: (topic, onChange) => world.watch(topic, lane, onChange),
    close: () => inner.close(),
  }
}
