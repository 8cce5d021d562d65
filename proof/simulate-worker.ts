/** Simulates the seeds it is told to. */

import type { SimulateAnswer, SimulateJob } from './simulate-job.ts'
import { SimulationError, simulate } from './simulator/simulate.ts'

process.on('message', (job: SimulateJob) => {
  void run(job).then((answer) => process.send?.(answer))
})

async function run({ first, last }: SimulateJob): Promise<SimulateAnswer> {
  const failures: { seed: number; message: string }[] = []
  for (let seed = first; seed <= last; seed++) {
    try {
      await simulate(seed)
    } catch (error) {
      if (!(error instanceof SimulationError)) throw error
      failures.push({ seed, message: error.message })
    }
  }
  return { passed: last - first + 1 - failures.length, failures }
}
