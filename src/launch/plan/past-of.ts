/** What runs of a loop on record took, on average: the best guess that there is. */

import { loadRun } from '../../engine/index.ts'
import type { RunState } from '../../loop/index.ts'
import type { CostEstimate } from '../../protocol/api/index.ts'
import type { Runs } from '../../runs/runs.ts'

const looked = 200
const runsMax = 5

/** Of the newest few; undefined where there is none, or no record. */
export async function pastOf(
  { journal }: Partial<Pick<Runs, 'journal'>>,
  loop: string,
): Promise<CostEstimate['past']> {
  if (journal === undefined) return undefined
  const rows = (await journal.listRuns({ limit: looked })).filter(
    (run) => run.loop === loop && run.iteration > 0,
  )
  const states: RunState[] = []
  for (const { id } of rows.slice(0, runsMax)) states.push((await loadRun(journal, id)).state)
  const sum = (of: (state: RunState) => number): number =>
    states.reduce((total, state) => total + of(state), 0)
  const iterations = sum((state) => state.iteration)
  if (iterations === 0) return undefined
  return {
    runs: states.length,
    iterations,
    tokensPerIteration: Math.ceil(sum(({ spent }) => spent.tokens) / iterations),
    costMicrosPerIteration: Math.ceil(sum(({ spent }) => spent.costMicros) / iterations),
  }
}
