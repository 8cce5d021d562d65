/** Reports the name of a loop that never ran here, instead of an empty answer about it. */

import { LoopError } from '../loop/index.ts'
import type { Runs } from './connection/runs.ts'

const runsMax = 500
const namesMax = 20

/**
 * Rejects with `bad-request` and the names that exist. Without `runs`, there is no state folder. `others`: names of loops
 * whose runs may be gone.
 */
export async function requireLoop(
  runs: Pick<Runs, 'list'> | undefined,
  name: string | undefined,
  others: () => Promise<readonly string[]> = async () => [],
): Promise<void> {
  if (name === undefined) return
  const ran = (await runs?.list({ limit: runsMax }))?.map(({ loop }) => loop) ?? []
  const known = [...new Set([...ran, ...(await others())])].toSorted()
  if (known.includes(name)) return
  const message =
    known.length === 0
      ? `No loop ran here yet, so there is none called ${JSON.stringify(name)}.`
      : `There is no loop ${JSON.stringify(name)} here. There are: ${known.slice(0, namesMax).join(', ')}.`
  throw new LoopError('bad-request', `${message} To list the runs of all loops: loopctl list`)
}
