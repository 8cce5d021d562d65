/** One search with the code of the product: the share of the achievable gain that it has after so many passes. */

import {
  bestConfiguration,
  casesOfPart,
  recordBatch,
  startSearch,
} from '#src/loops/tune/search/search.ts'
import { randomFrom, shuffle } from '#src/loops/tune/statistics/random.ts'
import { type Family, knobs, makeLandscape } from './landscapes.ts'
import { everyCase } from './versions.ts'

/** In the order of `budgets`, which rise. A budget is in passes over the suite. */
export function runSearch(
  family: Family,
  cases: number,
  budgets: readonly number[],
  seed: number,
): readonly number[] {
  const random = randomFrom(seed)
  const { start, truth, optimum, run } = makeLandscape(family, cases, random)
  const order = shuffle(everyCase(cases), random)
  const parts = [0, 1, 2, 3].map((part) => casesOfPart(order, part))
  const captured: number[] = []
  let search = startSearch(knobs, start, random)
  let runs = 0
  for (const budget of budgets) {
    for (;;) {
      const cost = search.batch.reduce((sum, { part }) => sum + (parts[part]?.length ?? 0), 0)
      if (runs + cost > budget * cases) break
      runs += cost
      const scores = search.batch.map(({ trial, part }) =>
        run(search.trials[trial]?.values ?? [], parts[part] ?? [], random),
      )
      search = recordBatch(knobs, search, scores, random)
    }
    captured.push((truth(bestConfiguration(search)) - truth(start)) / (optimum - truth(start)))
  }
  return captured
}
