/** The average cost of earlier runs of a loop: the best available estimate. */

import { loadRun } from '../../engine/index.ts'
import { outputTokensOf, type RunState } from '../../loop/index.ts'
import type { CostEstimate } from '../../protocol/api/index.ts'
import type { Runs } from '../../runs/runs.ts'

const looked = 200
const runsMax = 5

/** Uses the newest few runs; undefined if there are none. */
export async function estimateFromHistory(
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
  // Runs of earlier versions do not know their output.
  const isSplit = states.every(({ spent }) => spent.outputTokens !== undefined)
  return {
    runs: states.length,
    iterations,
    tokensPerIteration: Math.ceil(sum(({ spent }) => spent.tokens) / iterations),
    ...(isSplit
      ? {
          outputTokensPerIteration: Math.ceil(
            sum(({ spent }) => outputTokensOf(spent)) / iterations,
          ),
        }
      : {}),
    costMicrosPerIteration: Math.ceil(sum(({ spent }) => spent.costMicros) / iterations),
  }
}
