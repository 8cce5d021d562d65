/** What runs of a loop on record took, on average: the best guess that there is. */

import type { SqliteJournal } from '../../journal/index.ts'
import type { CostEstimate } from '../../protocol/api/index.ts'

const looked = 200
const runsMax = 10

export async function pastOf(
  journal: Pick<SqliteJournal, 'listRuns' | 'snapshot'>,
  loop: string,
): Promise<CostEstimate['past']> {
  const rows = (await journal.listRuns({ limit: looked })).filter(
    (run) => run.loop === loop && run.iteration > 0,
  )
  const states = await Promise.all(rows.slice(0, runsMax).map((run) => journal.snapshot(run.id)))
  const known = states.filter((state) => state !== undefined && state.iteration > 0)
  const sum = (of: (state: NonNullable<(typeof states)[number]>) => number): number =>
    known.reduce((total, state) => total + (state === undefined ? 0 : of(state)), 0)
  const iterations = sum((state) => state.iteration)
  if (iterations === 0) return undefined
  return {
    runs: known.length,
    iterations,
    tokensPerIteration: Math.ceil(sum(({ spent }) => spent.tokens) / iterations),
    costMicrosPerIteration: Math.ceil(sum(({ spent }) => spent.costMicros) / iterations),
  }
}
