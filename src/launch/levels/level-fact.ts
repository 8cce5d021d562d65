/** What a run was launched with that decides about the levels of its loop. Kept beside its journal. */

import { z } from 'zod'
import type { Store } from '../../engine/index.ts'
import { type LevelSetting, type RunId, toJson } from '../../loop/index.ts'

export interface LevelFact {
  /** `level` of the loop file. */
  readonly setting: LevelSetting
  /** The kinds of actions that its runs propose. */
  readonly kinds: readonly string[]
  /** The digest of what judges its work. */
  readonly judges: string
  /** An agent judges it, besides its checks. */
  readonly hasAgent: boolean
}

const factName = 'level'

const schema = z.object({
  setting: z.literal([1, 2, 3, 'earned']),
  kinds: z.array(z.string()).readonly(),
  judges: z.string(),
  hasAgent: z.boolean(),
})

export const writeLevelFact = (
  { setFact }: Pick<Store, 'setFact'>,
  run: RunId,
  fact: LevelFact,
  atMs: number,
): Promise<void> => setFact(run, factName, { value: toJson(fact), atMs })

/** Undefined: the run was launched before this was recorded. */
export async function readLevelFact(
  { facts }: Pick<Store, 'facts'>,
  run: RunId,
): Promise<LevelFact | undefined> {
  return schema.safeParse((await facts(run)).get(factName)?.value).data
}
