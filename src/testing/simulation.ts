/** Lets random runs live in a world of their own until all of them are over. */

import type { Ports } from '../engine/index.ts'
import { questionDeadlineMs, type RunId } from '../loop/index.ts'
import { planDisturbances } from './disturbances.ts'
import type { Program } from './program.ts'
import { createRunWatch } from './run-watch.ts'
import type { SeededRandom } from './seeded-random.ts'
import { type Cluster, createCluster } from './simulated-cluster.ts'
import { createSimulatedFiles } from './simulated-files.ts'
import { createSimulatedPerson, type SimulatedPerson } from './simulated-person.ts'
import type { HookPlan, SimulatedRun } from './simulated-ports.ts'
import { type Lane, simulatedStartMs } from './simulated-time.ts'
import { createSimulatedWorld, type SimulatedWorld } from './simulated-world.ts'
import { tellStory } from './story.ts'

export interface Cast {
  readonly programs: readonly Program[]
  readonly hooks: readonly HookPlan[]
  /** Whether anything goes wrong. */
  readonly disturbed: boolean
  readonly sabotage: (ports: Ports) => Ports
  /** Told about everything that happens. */
  readonly trace: (line: string) => void
}

export interface Simulation {
  readonly world: SimulatedWorld
  readonly person: SimulatedPerson
  readonly runs: readonly SimulatedRun[]
  readonly counts: Readonly<Record<string, number>>
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
    cast.trace(`            ${what}`)
  }
  const violations: string[] = []
  const violate = (reason: string): void => {
    violations.push(reason)
  }
  const runs: SimulatedRun[] = []
  const world = createSimulatedWorld(random, (lease, unit) =>
    runs.find((run) => run.id === lease.run)?.watch.wrote(lease, unit),
  )
  const person = createSimulatedPerson(world, violate, count)
  for (const [index, program] of cast.programs.entries()) {
    runs.push(createSimulatedRun(world, person, program, index, cast, violate))
  }
  const graceMs = random.pick([0, 500, 10_000])
  const { sabotage } = cast
  const cluster = createCluster(world, { violate, count, graceMs, sabotage })
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
  const lane: Lane = { name: 'story', state: 'running' }
  const options = { world, cluster, person, violate, sleep: world.time.clockOf(lane).sleep }
  let open = runs.length
  for (const run of runs) {
    void tellStory(run, options)
      .catch((error: unknown) => violate(`the story broke: ${describe(error)}`))
      .finally(() => open--)
  }
  const requireNoViolation = (): void => {
    const [violation] = violations
    if (violation !== undefined) throw new Error(violation)
  }
  await live(world, cluster, disturbances, () => open === 0, requireNoViolation)
  return { world, person, runs, counts, requireNoViolation }
}

async function live(
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
    if (!moved && !(isOver() && cluster.underWay === 0))
      throw new Error('E9: nothing can happen any more')
    if (time.tasks > tasksMax) throw new Error(`E9: not over after ${tasksMax} tasks`)
    if (time.nowMs - startMs > virtualMsMax) throw new Error('E9: not over after ten days')
  }
}

function createSimulatedRun(
  world: SimulatedWorld,
  person: SimulatedPerson,
  program: Program,
  index: number,
  cast: Cast,
  violate: (reason: string) => void,
): SimulatedRun {
  const id = `0190a0de-0000-7000-8000-00000000000${index}` as RunId
  const files = program.usesFiles ? createSimulatedFiles(`/work/${index}`, world.trees) : undefined
  const about = (reason: string): void => violate(`run ${index}: ${reason}`)
  const watch = createRunWatch(id, world, files, about, ({ seq, atMs, event }) => {
    const { type, ...fields } = event
    cast.trace(
      `run ${index} ${atMs - simulatedStartMs} ms ${seq} ${type} ${JSON.stringify(fields)}`,
    )
    if (event.type !== 'step-started' || event.attempt > 1 || event.question === undefined) return
    person.noticeQuestion(run, event.question.deadlineMs ?? questionDeadlineMs)
  })
  const run: SimulatedRun = { id, program, files, watch, hooks: cast.hooks }
  return run
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
