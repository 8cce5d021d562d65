/**
 * Merges work into a branch through the queue of the store. The process that needs a merge works through the line itself
 * if no other process does; else it waits until its request has an end or the line is free. So there is no extra
 * process, and a killed one is replaced by the next that needs the line.
 */

import type { MergeLease, MergeLine, MergeQueue, MergeRow, Store } from '../../engine/index.ts'
import type { Signal } from '../../loop/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { createOwnerId } from '../../system/index.ts'
import type { Landings } from '../../workspace/index.ts'
import { endOf, type Landing, type LandingEnd, presenceOf } from './landing.ts'
import { reconcile, workThroughLine } from './work-through-line.ts'

export interface LandingPorts extends Pick<HostPorts, 'clock'> {
  readonly journal: Pick<Store, 'merges'>
}

const pollMs = 100
const renewMs = 5000
const renewPolls = renewMs / pollMs

/** The requests that wait in this process, for each store. One batch can certify all of them. */
const waiting = new WeakMap<object, Map<string, Landing>>()

/** Resolves when the request has an end; asking again with its key finds it. Rejects if its checks cannot run. */
export async function landWork(
  ports: LandingPorts,
  git: Landings,
  landing: Landing,
  signal: Signal,
): Promise<LandingEnd> {
  const { merges } = ports.journal
  const { key } = landing.request
  let problem: Error | undefined
  const landings = waiting.get(ports.journal) ?? new Map<string, Landing>()
  waiting.set(ports.journal, landings)
  const row = await merges.add(landing.request)
  const end = endOf(row)
  if (end !== undefined) return end
  landings.set(key, {
    ...landing,
    onError(error) {
      problem = error
    },
  })
  const presence = openPresence(merges, presenceOf(row, landing.checks))
  try {
    for (;;) {
      signal.throwIfAborted()
      if (await workIfFree(ports, git, { row, landings, signal })) await presence.end()
      else await presence.keep()
      const found = await merges.row(key)
      const ended = found === undefined ? undefined : endOf(found)
      if (ended !== undefined) return ended
      if (problem !== undefined) {
        await giveUp(merges, row, problem)
        throw problem
      }
      await ports.clock.sleep(pollMs, signal)
    }
  } finally {
    landings.delete(key)
    await presence.end()
  }
}

const renews = (merges: MergeQueue, lease: MergeLease): Promise<boolean> =>
  merges.renew(lease).then(
    () => true,
    () => false,
  )

/** Says that this process waits for its request. */
interface Presence {
  keep(): Promise<void>
  end(): Promise<void>
}

function openPresence(merges: MergeQueue, line: MergeLine): Presence {
  let lease: MergeLease | undefined
  let polls = 0
  return {
    async keep() {
      polls += 1
      if (lease !== undefined && polls % renewPolls !== 0) return
      const kept = lease
      lease =
        kept !== undefined && (await renews(merges, kept))
          ? kept
          : await merges.acquire(line, createOwnerId())
    },
    async end() {
      if (lease !== undefined) await merges.release(lease).catch(() => undefined)
      lease = undefined
    },
  }
}

/** A request that failed does not stay in the line. If another process has the line, it is left out there. */
async function giveUp(
  merges: MergeQueue,
  { key, repository, target }: MergeRow,
  { message: reason }: Error,
): Promise<void> {
  const lease = await merges.acquire({ repository, target }, createOwnerId())
  if (lease === undefined) return
  await merges.update(lease, [{ key, progress: { state: 'failed', reason } }])
  await merges.release(lease)
}

/** Records what a killed process had done. If another process has the line, that one does. */
export async function settleLine(
  merges: MergeQueue,
  git: Landings,
  line: MergeLine,
): Promise<void> {
  const lease = await merges.acquire(line, createOwnerId())
  if (lease === undefined) return
  try {
    await reconcile({ merges, git, lease })
  } finally {
    await merges.release(lease)
  }
}

interface Work {
  readonly row: MergeRow
  readonly landings: ReadonlyMap<string, Landing>
  readonly signal: Signal
}

/** False: another process has the line. */
async function workIfFree(
  { journal: { merges }, clock }: LandingPorts,
  git: Landings,
  { row: { repository, target }, landings, signal }: Work,
): Promise<boolean> {
  const lease = await merges.acquire({ repository, target }, createOwnerId())
  if (lease === undefined) return false
  const stop = new AbortController()
  const renew = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await clock.sleep(renewMs, stop.signal)
      await merges.renew(lease).catch(() => undefined)
    }
  }
  renew().catch(() => undefined)
  try {
    await workThroughLine({ merges, git, lease, landings, signal })
    return true
  } finally {
    stop.abort()
    await merges.release(lease).catch(() => undefined)
  }
}
