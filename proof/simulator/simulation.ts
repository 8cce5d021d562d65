/** Lets random runs live in a world of their own until all of them are over. */

import type { Ports } from '#src/engine/index.ts'
import { questionDeadlineMs, type RecordedEvent, type RunId } from '#src/loop/index.ts'
import type { SeededRandom } from '#src/testing/seeded-random.ts'
import { createLane, settled, simulatedStartMs } from '#src/testing/simulated-time.ts'
import { planDisturbances } from './disturbances.ts'
import { followRun } from './follow-run.ts'
import { pickCheckpoint } from './meddle.ts'
import type { Program } from './program.ts'
import { createRunWatch } from './run-watch.ts'
import { type Cluster, createCluster } from './simulated-cluster.ts'
import { createSimulatedFiles } from './simulated-files.ts'
import { createSimulatedPerson, type SimulatedPerson } from './simulated-person.ts'
import type { HookPlan, SimulatedRun } from './simulated-ports.ts'
import { createSimulatedWorld, type SimulatedWorld } from './simulated-world.ts'
import { createStory, tellStory } from './story.ts'

export interface Cast {
  readonly programs: readonly Program[]
  readonly hooks: readonly HookPlan[]
  /** Whether anything goes wrong. */
  readonly disturbed: boolean
  readonly sabotage: (ports: Ports) => Ports
  /** Told about everything that happens. */
  readonly trace: ((line: string) => void) | undefined
}

export interface Simulation {
  readonly world: SimulatedWorld
  readonly person: SimulatedPerson
  readonly runs: readonly SimulatedRun[]
  readonly counts: Readonly<Record<string, number>>
  count(what: string): void
  /** Throws the first thing that was found wrong. */
  requireNoViolation(): void
}

/** E9. Whatever happens, a run is over after so much. */
const tasksMax = 60_000
const virtualMsMax = 10 * 24 * 3_600_000

export async function runSimulation(random: SeededRandom, cast: Cast): Promise<Simulation> {
  const counts: Record<string, number> = {}
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
    if (!what.startsWith('event')) cast.trace?.(`            ${what}`)
  }
  const violations: string[] = []
  const violate = (reason: string): void => {
    violations.push(reason)
  }
  const requireNoViolation = (): void => {
    const [violation] = violations
    if (violation !== undefined) throw new Error(violation)
  }
  const runs: SimulatedRun[] = []
  const world = createSimulatedWorld(random, {
    wrote: (lease, unit) => runs.find((run) => run.id === lease.run)?.watch.wrote(lease, unit),
    taken: (...change) => cluster.taken(...change),
  })
  const person = createSimulatedPerson(world, violate, count)
  const stage: Stage = { world, person, cast, violate, count }
  for (const program of cast.programs) runs.push(createSimulatedRun(stage, program, runs.length))
  const graceMs = random.pick([0, 500, 10_000])
  const cluster = createCluster(world, { violate, count, graceMs, sabotage: cast.sabotage })
  const rival = (run: SimulatedRun): void => {
    if (run.watch.log.events.length > 0) void cluster.attempt(cluster.join(), run, false)
  }
  const scene = { world, cluster, person, runs, count, rival }
  const disturbances = cast.disturbed
    ? planDisturbances(
        random.split(),
        cast.programs.every((program) => program.exact),
        scene,
      )
    : { tick: () => false }
  let open = 0
  const begin = (work: Promise<void>): void => {
    open++
    void work
      .catch((error: unknown) => violate(`the story broke: ${describe(error)}`))
      .finally(() => open--)
  }
  const sleep = world.time.clockOf(createLane('story')).sleep
  const live = { world, cluster, person, violate, sleep, sabotage: cast.sabotage }
  const followed = random.chance(0.2)
  const play = async (run: SimulatedRun): Promise<void> => {
    await createStory(run, live)
    if (followed) begin(followRun(run, world))
    await tellStory(run, live)
    const fork = cast.disturbed && random.chance(0.15) ? forkOf(stage, run, runs.length) : undefined
    if (fork === undefined) return
    runs.push(fork)
    begin(play(fork))
  }
  for (const run of runs) begin(play(run))
  await letLive(world, cluster, disturbances, () => open === 0, requireNoViolation)
  return { world, person, runs, counts, count, requireNoViolation }
}

async function letLive(
  world: SimulatedWorld,
  cluster: Cluster,
  disturbances: { tick(): boolean },
  isOver: () => boolean,
  requireNoViolation: () => void,
): Promise<void> {
  const { time } = world
  const startMs = time.nowMs
  await settled()
  while (!isOver() || cluster.underWay > 0) {
    if (isOver()) cluster.thaw()
    if (disturbances.tick()) await settled()
    const moved = await time.step()
    requireNoViolation()
    if (!moved && !(isOver() && cluster.underWay === 0)) {
      throw new Error('E9: nothing can happen any more')
    }
    if (time.tasks > tasksMax) throw new Error(`E9: not over after ${tasksMax} tasks`)
    if (time.nowMs - startMs > virtualMsMax) throw new Error('E9: not over after ten days')
  }
}

/** What all runs of a simulation share. */
interface Stage {
  readonly world: SimulatedWorld
  readonly person: SimulatedPerson
  readonly cast: Cast
  readonly violate: (reason: string) => void
  readonly count: (what: string) => void
}

function forkOf(stage: Stage, run: SimulatedRun, index: number): SimulatedRun | undefined {
  if (run.forkOf !== undefined) return undefined
  const iteration = pickCheckpoint(run, stage.world.random)
  stage.count('fork')
  return {
    ...createSimulatedRun(stage, run.program, index),
    forkOf: { run: run.id, iteration },
  }
}

function createSimulatedRun(stage: Stage, program: Program, index: number): SimulatedRun {
  const { world, person, cast, violate, count } = stage
  const id = `0190a0de-0000-7000-8000-00000000000${index}` as RunId
  const files = program.usesFiles ? createSimulatedFiles(`/work/${index}`, world.trees) : undefined
  const about = (reason: string): void => violate(`run ${index}: ${reason}`)
  const onEvent = ({ seq, atMs, event }: RecordedEvent): void => {
    const { type, ...fields } = event
    const atRunMs = atMs - simulatedStartMs
    count(`event ${type}`)
    if (event.type === 'iteration-ended' && event.ending.type === 'error') {
      const { code, agent } = event.ending.fault
      count(`iteration ended by ${code}${agent === undefined ? '' : ' of an agent'}`)
    }
    cast.trace?.(`run ${index} ${atRunMs} ms ${seq} ${type} ${JSON.stringify(fields)}`)
    if (event.type !== 'step-started' || event.attempt > 1 || event.question === undefined) return
    person.noticeQuestion(run, event.question.deadlineMs ?? questionDeadlineMs)
  }
  const watch = createRunWatch({ run: id, world, files, violate: about, onEvent })
  const run: SimulatedRun = { id, program, files, watch, hooks: cast.hooks, outside: { seq: 0 } }
  return run
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
