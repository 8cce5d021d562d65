/**
 * Deterministic simulation of engine, journal and clock: random loops, processes that die, freeze and
 * fail, and people who change their minds, in virtual time. A seed that fails is printed with the
 * command that replays it.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { atLeast, type Result, type Suite } from '../bench/report.ts'
import type { SimulateAnswer, SimulateJob } from './simulate-job.ts'
import { SimulationError, simulate } from './simulator/simulate.ts'

const seedsWanted = 10_000
const seedsAtOnce = 50
const workersMax = 8
const failuresMax = 20
const program = fileURLToPath(new URL('./simulate-worker.js', import.meta.url))

export const simulation: Suite = {
  area: 'engine',
  title: 'deterministic simulation of engine, journal and clock',
  share: 0.2,
  run: ({ scale, seed, note }) =>
    proveSimulation({
      seeds: Math.max(1, Math.round(seedsWanted * scale)),
      from: 1,
      note,
      ...(seed === undefined ? {} : { seed }),
    }),
}

export interface SimulationOptions {
  readonly seeds: number
  readonly from: number
  /** Only this one, with everything that happens in it. */
  readonly seed?: number
  note(text: string): void
}

export async function proveSimulation(options: SimulationOptions): Promise<readonly Result[]> {
  const { seeds, seed, note } = options
  if (seed !== undefined) {
    const passed = await replay(seed, note)
    return [atLeast('engine.simulation-seeds', passed ? 1 : 0, 1, 'seeds', `seed ${seed}`)]
  }
  const { passed, failures } = await runSeeds(options)
  for (const failure of failures) {
    note(failure.message)
    note(`  npm run proof -- --only engine --seed ${failure.seed}`)
  }
  return [atLeast('engine.simulation-seeds', passed, seeds, 'seeds', failures[0]?.message)]
}

/** Prints what happened in a seed that fails. */
async function replay(seed: number, note: (text: string) => void): Promise<boolean> {
  const lines: string[] = []
  try {
    await simulate(seed, { trace: (line) => lines.push(line) })
    return true
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error
    for (const line of lines) note(line)
    note(error.message)
    return false
  }
}

async function runSeeds({ seeds, from }: SimulationOptions): Promise<SimulateAnswer> {
  const failures: SimulateAnswer['failures'][number][] = []
  let next = from
  let passed = 0

  async function work(): Promise<void> {
    const worker = fork(program)
    const died = once(worker, 'exit').then((): never => {
      throw new Error('A simulation ended its process.')
    })
    died.catch(() => undefined)
    try {
      while (next < from + seeds && failures.length < failuresMax) {
        const first = next
        next = Math.min(first + seedsAtOnce, from + seeds)
        const answer = await Promise.race([ask(worker, { first, last: next - 1 }), died])
        passed += answer.passed
        failures.push(...answer.failures)
      }
    } finally {
      worker.kill()
    }
  }

  const workers = Math.min(workersMax, availableParallelism())
  await Promise.all(Array.from({ length: workers }, work))
  return { passed, failures }
}

async function ask(worker: ChildProcess, job: SimulateJob): Promise<SimulateAnswer> {
  worker.send(job)
  const [answer] = await once(worker, 'message')
  return answer as SimulateAnswer
}
