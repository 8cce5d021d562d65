/** Where the work of runs waits in the merge queue. */

import type { RunRow, Store } from '../../engine/index.ts'
import { isEnd, type RunId } from '../../loop/index.ts'

type Waiting = NonNullable<RunRow['merging']>

/** By run. Requests of runs that have ended and that no process holds wait for nothing. */
export async function readMergePositions(
  { merges }: Pick<Store, 'merges'>,
  runs: readonly RunRow[],
): Promise<ReadonlyMap<RunId, Waiting>> {
  const waiting = runs.filter(({ status, held }) => !isEnd(status) || held)
  if (waiting.length === 0) return new Map()
  const ids = new Set(waiting.map(({ id }) => id))
  return new Map(
    (await merges.listOpen()).flatMap(({ run, target, position = 1 }) =>
      ids.has(run) ? [[run, { target, position }] as const] : [],
    ),
  )
}
