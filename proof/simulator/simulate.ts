/**
 * Deterministic simulation of engine, journal and clock: random loops, driven by processes that are
 * killed, frozen, shut down and fail, with people who change their minds; and a check that what the
 * engine promises held (E1-E4, E9-E11). Everything follows from the seed.
 */

import { createHash } from 'node:crypto'
import type { HookPoint, Ports } from '#src/engine/index.ts'
import { openStore } from '#src/journal/index.ts'
import type { Outcome } from '#src/loop/index.ts'
import { type SeededRandom, seededRandom } from '#src/testing/seeded-random.ts'
import { simulatedStartMs } from '#src/testing/simulated-time.ts'
import { compareExact } from './compare-exact.ts'
import { checkEnd } from './final-model.ts'
import { randomProgram } from './random-program.ts'
import type { HookPlan } from './simulated-ports.ts'
import { runSimulation, type Simulation } from './simulation.ts'

export interface SimulateOptions {
  /** Changes what the engine is given, to see whether the checks notice. */
  readonly sabotage?: (ports: Ports) => Ports
  /** Told about everything that happens. */
  readonly trace?: (line: string) => void
}

export interface SimulationReport {
  readonly seed: number
  readonly exact: boolean
  readonly outcomes: readonly (Outcome | undefined)[]
  readonly events: number
  readonly tasks: number
  readonly virtualMs: number
  /** Of everything that became durable. */
  readonly hash: string
  /** What happened, and how often: to see what a set of seeds covers. */
  readonly counts: Readonly<Record<string, number>>
}

export class SimulationError extends Error {
  readonly seed: number
  constructor(seed: number, reason: string, options?: { readonly cause?: unknown }) {
    super(`seed ${seed}: ${reason}`, options)
    this.name = 'SimulationError'
    this.seed = seed
  }
}

/** Runs one seed. Rejects with what does not hold. */
export async function simulate(
  seed: number,
  options: SimulateOptions = {},
): Promise<SimulationReport> {
  // A simulation leaves the real event loop no turn; between two of them it gets one.
  await new Promise((resolve) => setImmediate(resolve))
  try {
    return await simulateSeed(seed, options)
  } catch (cause) {
    throw new SimulationError(seed, cause instanceof Error ? cause.message : String(cause), {
      cause,
    })
  }
}

async function simulateSeed(seed: number, options: SimulateOptions): Promise<SimulationReport> {
  const random = seededRandom(seed)
  const exact = random.chance(0.5)
  const length = random.chance(0.15) ? 2 : 1
  const programs = Array.from({ length }, () => randomProgram(random, exact))
  const hooks = random.chance(0.3) ? [randomHook(random, exact)] : []
  const { sabotage = (ports: Ports) => ports, trace } = options
  const cast = { programs, hooks, disturbed: true, sabotage, trace }
  trace?.(JSON.stringify({ exact, programs, hooks }))
  const simulation = await runSimulation(random.split(), cast)
  await check(simulation)
  if (exact) {
    trace?.('undisturbed')
    const calm = { programs, hooks, disturbed: false, sabotage: (ports: Ports) => ports, trace }
    const reference = await runSimulation(random.split(), calm)
    const problem = compareExact(reference.runs, simulation.runs)
    reference.world.database.close()
    if (problem !== undefined) throw new Error(problem)
  }
  const report = reportOf(seed, exact, simulation)
  simulation.world.database.close()
  return report
}

async function check(simulation: Simulation): Promise<void> {
  const { world, person, runs } = simulation
  const { database, owners, time } = world
  const journal = openStore({ path: ':memory:', database, owners, now: () => time.nowMs })
  for (const run of runs) {
    await checkEnd(run, world, person, journal)
    if ((await journal.snapshot(run.id)) !== undefined) simulation.count('kept a snapshot')
  }
  simulation.requireNoViolation()
  const problems = await journal.integrityProblems()
  if (problems.length > 0) throw new Error(`the database is damaged: ${problems.join(', ')}`)
}

function reportOf(seed: number, exact: boolean, simulation: Simulation): SimulationReport {
  const { world, runs, counts } = simulation
  const hash = createHash('sha256')
  const events = runs.flatMap((run) => run.watch.log.events)
  for (const event of events) hash.update(JSON.stringify(event))
  return {
    seed,
    exact,
    outcomes: runs.map((run) => run.watch.log.state.outcome),
    events: events.length,
    tasks: world.time.tasks,
    virtualMs: world.time.nowMs - simulatedStartMs,
    hash: hash.digest('hex'),
    counts,
  }
}

const before: readonly HookPoint[] = [
  'before-run',
  'before-iteration',
  'before-step',
  'before-tool',
]
const after: readonly HookPoint[] = ['after-run', 'after-iteration', 'after-step', 'after-tool']

/** In exact simulations a hook may do everything but refuse. */
function randomHook(random: SeededRandom, exact: boolean): HookPlan {
  const blocking = random.chance(0.6)
  const isBefore = random.chance(0.5)
  const mayRefuse = !(exact && blocking && isBefore)
  return {
    name: 'hook',
    points: [random.pick(isBefore ? before : after), random.pick(isBefore ? before : after)],
    blocking,
    ms: random.pick([0, 0, 10, 2000]),
    refuses: mayRefuse && random.chance(0.4) ? 0.2 : 0,
  }
}
