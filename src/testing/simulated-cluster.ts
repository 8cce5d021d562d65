/** The processes of a simulation: at each moment one is in service, others are dead, frozen or old. */

import { applyIdle, type DriveEnd, driveRun, type Ports } from '../engine/index.ts'
import { isLoopError, type RunId } from '../loop/index.ts'
import { equip, type SimulatedRun } from './simulated-ports.ts'
import { createSimulatedProcess, type SimulatedProcess } from './simulated-process.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export interface Member {
  readonly process: SimulatedProcess
  readonly stop: AbortController
  /** When it was told to shut down, and whether it was ever frozen since. */
  stoppedAtMs: number | undefined
  wasFrozen: boolean
}

export type AttemptEnd =
  | DriveEnd
  | { readonly type: 'crashed' | 'frozen' }
  | { readonly type: 'rejected'; readonly error: unknown }

export interface Cluster {
  readonly members: readonly Member[]
  /** The one in service; a new one when there is none. */
  current(): Member
  /** Another one, which is not in service. */
  join(): Member
  /** Drives a run until it ends, is suspended, or nothing more is to be expected. */
  attempt(member: Member, run: SimulatedRun, force: boolean): Promise<AttemptEnd>
  /** Lets decisions take effect on a run that nobody drives. */
  settle(member: Member, run: SimulatedRun): Promise<void>
  freeze(): void
  thaw(): void
  shutDown(): void
  /** Drives that are still under way in processes that are not dead. */
  readonly underWay: number
}

export interface ClusterOptions {
  readonly violate: (reason: string) => void
  readonly count: (what: string) => void
  readonly graceMs: number
  readonly sabotage: (ports: Ports) => Ports
}

/** What the engine gives a step that does not listen, and a little more. */
const abandonMs = 5000
const slackMs = 3000

export function createCluster(world: SimulatedWorld, options: ClusterOptions): Cluster {
  const { violate, count, graceMs } = options
  const members: Member[] = []
  const selectOwner = world.database.prepare(
    'SELECT owner FROM leases WHERE run = (SELECT key FROM runs WHERE id = ?)',
  )
  const driving = new Map<Promise<unknown>, { readonly member: Member; readonly run: RunId }>()

  function join(): Member {
    const process = createSimulatedProcess(world, `p${members.length + 1}`)
    const stop = new AbortController()
    const member = { process, stop, stoppedAtMs: undefined, wasFrozen: false }
    members.push(member)
    return member
  }

  let serving: Member | undefined
  const inService = (): Member | undefined => {
    if (serving === undefined || serving.wasFrozen || serving.stoppedAtMs !== undefined) return
    return serving.process.lane.state === 'running' ? serving : undefined
  }

  async function attempt(member: Member, run: SimulatedRun, force: boolean): Promise<AttemptEnd> {
    const { process, stop } = member
    const { loop, ports } = equip(world, process, run)
    const drive = driveRun(run.id, loop, options.sabotage(ports), {
      owner: process.newOwner(),
      signal: stop.signal,
      graceMs,
      force,
    }).then(
      (end): AttemptEnd => end,
      (error: unknown): AttemptEnd => ({ type: 'rejected', error }),
    )
    driving.set(drive, { member, run: run.id })
    const ended = drive.then((end) => {
      driving.delete(drive)
      if (process.lane.state === 'running') checkEnd(member, run, end)
      return end
    })
    return Promise.race([ended, process.gone.then((type): AttemptEnd => ({ type }))])
  }

  /** What a drive may come to, given what was done to its process. */
  function checkEnd(member: Member, run: SimulatedRun, end: AttemptEnd): void {
    run.watch.sync()
    count(`drive ${end.type}`)
    const { stoppedAtMs } = member
    if (stoppedAtMs !== undefined && !member.wasFrozen) {
      const tookMs = world.time.nowMs - stoppedAtMs
      if (tookMs > graceMs + abandonMs + slackMs) violate(`E9: shutting down took ${tookMs} ms`)
    }
    const { outcome } = run.watch.log.state
    if (end.type === 'ended' && JSON.stringify(end.outcome) !== JSON.stringify(outcome)) {
      violate(`it says ${JSON.stringify(end.outcome)}, the journal ${JSON.stringify(outcome)}`)
    }
    if (end.type === 'rejected') checkRejection(member, run, end.error)
  }

  function checkRejection(member: Member, run: SimulatedRun, error: unknown): void {
    if (!isLoopError(error)) return violate(`it rejected with ${String(error)}`)
    count(`rejected ${error.code}`)
    // By the row: whoever took it may have died before it knew.
    const row = selectOwner.get(run.id) as { owner: string | null } | undefined
    const lost = row?.owner?.includes(`|${member.process.lane.name}|`) !== true
    switch (error.code) {
      case 'run-busy':
        return
      case 'fenced':
        return lost ? undefined : violate(`it is fenced and holds the run: ${error.message}`)
      case 'store-failed':
      case 'workspace-failed':
        return member.process.failures > 0 ? undefined : violate(`nothing failed: ${error.message}`)
      default:
        return violate(`it rejected with ${error.code}: ${error.message}`)
    }
  }

  return {
    members,
    current() {
      serving = inService() ?? join()
      return serving
    },
    join,
    attempt,
    async settle(member, run) {
      const { process } = member
      const work = applyIdle(run.id, equip(world, process, run).ports, process.newOwner()).then(
        () => count('settled idle'),
        (error: unknown) => checkRejection(member, run, error),
      )
      await Promise.race([work, process.gone])
    },
    freeze() {
      const member = inService()
      if (member === undefined) return
      member.wasFrozen = true
      member.process.freeze()
    },
    thaw() {
      for (const { process } of members) process.thaw()
    },
    shutDown() {
      const member = inService()
      if (member === undefined) return
      member.stoppedAtMs = world.time.nowMs
      member.stop.abort()
    },
    get underWay() {
      return [...driving.values()].filter(({ member }) => member.process.lane.state !== 'dead')
        .length
    },
  }
}
