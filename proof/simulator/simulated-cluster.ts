/** The processes of a simulation: at each moment one is in service, others are dead, frozen or old. */

import { driveRun } from '#src/engine/drive-run.ts'
import { applyIdle, type DriveEnd, type Lease, type Ports, rewindRun } from '#src/engine/index.ts'
import type { Lane } from '#src/testing/simulated-time.ts'
import { createAttemptCheck } from './check-attempt.ts'
import { equip, type SimulatedRun } from './simulated-ports.ts'
import { createSimulatedProcess, type SimulatedProcess } from './simulated-process.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export interface Member {
  readonly process: SimulatedProcess
  readonly stop: AbortController
  /** When it was told to shut down. */
  stoppedAtMs: number | undefined
  wasFrozen: boolean
}

export type AttemptEnd =
  | DriveEnd
  | { readonly type: 'crashed' | 'frozen' }
  | { readonly type: 'rejected'; readonly error: unknown }

export interface Cluster {
  /** The one in service; a new one when there is none. */
  current(): Member
  /** Another one, which is not in service. */
  join(): Member
  /** Drives a run until it ends, is suspended, or nothing more is to be expected. */
  attempt(member: Member, run: SimulatedRun, force: boolean): Promise<AttemptEnd>
  /** Lets decisions take effect on a run that nobody drives. */
  settle(run: SimulatedRun): Promise<void>
  /** Takes a run back to a checkpoint. */
  rewind(run: SimulatedRun, iteration: number): Promise<void>
  /** Somebody took the run whose lease was this one. */
  taken(from: Lease, by: Lane): void
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

interface Drive {
  readonly member: Member
  readonly owner: string
}

export function createCluster(world: SimulatedWorld, options: ClusterOptions): Cluster {
  const { count, graceMs, sabotage } = options
  const check = createAttemptCheck(world, options)
  const service = createService(world)
  const drives = new Set<Drive>()

  async function attempt(member: Member, run: SimulatedRun, force: boolean): Promise<AttemptEnd> {
    const { process, stop } = member
    const { loop, ports } = equip(world, process, run)
    const owner = process.newOwner()
    const drive = { member, owner }
    drives.add(drive)
    const ended = driveRun(run.id, loop, sabotage(ports), {
      owner,
      signal: stop.signal,
      graceMs,
      force,
    })
      .catch((error: unknown): AttemptEnd => ({ type: 'rejected', error }))
      .then((end) => {
        drives.delete(drive)
        if (process.lane.state === 'running') check.ended(member, run, end)
        return end
      })
    return Promise.race([ended, process.gone.then((type): AttemptEnd => ({ type }))])
  }

  async function once(
    what: string,
    run: SimulatedRun,
    act: (ports: Ports, owner: string) => Promise<unknown>,
  ): Promise<void> {
    const member = service.current()
    const { process } = member
    const work = act(sabotage(equip(world, process, run).ports), process.newOwner()).then(
      () => count(what),
      (error: unknown) => check.rejected(member, run, error),
    )
    await Promise.race([work, process.gone])
  }

  return {
    ...service,
    attempt,
    settle: (run) => once('settled idle', run, (ports, owner) => applyIdle(run.id, ports, owner)),
    rewind: (run, iteration) =>
      once('rewound', run, (ports, owner) => rewindRun(run.id, iteration, ports, owner)),
    taken(from, by) {
      const holder = [...drives].find((drive) => drive.owner === from.owner)?.member
      if (holder === undefined || holder.wasFrozen || holder.process.failures > 0) return
      const { lane } = holder.process
      if (lane.state !== 'running') return
      options.violate(`${by.name} took the run from ${lane.name}, which is alive`)
    },
    get underWay() {
      return [...drives].filter(({ member }) => member.process.lane.state !== 'dead').length
    },
  }
}

type Service = Pick<Cluster, 'current' | 'join' | 'freeze' | 'thaw' | 'shutDown'>

function createService(world: SimulatedWorld): Service {
  const members: Member[] = []
  let serving: Member | undefined

  function join(): Member {
    const process = createSimulatedProcess(world, `p${members.length + 1}`)
    const stop = new AbortController()
    const member = { process, stop, stoppedAtMs: undefined, wasFrozen: false }
    members.push(member)
    return member
  }

  function inService(): Member | undefined {
    if (serving === undefined || serving.wasFrozen || serving.stoppedAtMs !== undefined) return
    return serving.process.lane.state === 'running' ? serving : undefined
  }

  return {
    join,
    current() {
      serving = inService() ?? join()
      return serving
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
  }
}
