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
  /** An earlier process of the run was judged by something else, or by what is unknown: the run is no evidence. */
  readonly isMixed?: true
}

const factName = 'level'

const schema = z.object({
  setting: z.literal([1, 2, 3, 'earned']),
  kinds: z.array(z.string()).readonly(),
  judges: z.string(),
  hasAgent: z.boolean(),
  isMixed: z.literal(true).exactOptional(),
})

/** Before the run is driven, each time: a run that is resumed reads its loop file again. */
export async function recordLevelFact(
  journal: Pick<Store, 'setFact' | 'facts' | 'read'>,
  run: RunId,
  fact: Omit<LevelFact, 'isMixed'>,
  atMs: number,
): Promise<void> {
  const isMixed = await wasJudgedOtherwise(journal, run, fact.judges)
  const value = toJson({ ...fact, ...(isMixed ? { isMixed } : {}) })
  await journal.setFact(run, factName, { value, atMs })
}

async function wasJudgedOtherwise(
  journal: Pick<Store, 'facts' | 'read'>,
  run: RunId,
  judges: string,
): Promise<boolean> {
  const earlier = await readLevelFact(journal, run)
  if (earlier !== undefined) return earlier.isMixed === true || earlier.judges !== judges
  return (await journal.read(run, { types: ['run-started'], limit: 1 })).length > 0
}

/** Whether what judged all of the run is the same as `judges`. */
export const wasJudgedBy = (fact: LevelFact | undefined, judges: string | undefined): boolean =>
  fact !== undefined && fact.isMixed !== true && fact.judges === judges

/** Undefined: the run was launched before this was recorded. */
export async function readLevelFact(
  { facts }: Pick<Store, 'facts'>,
  run: RunId,
): Promise<LevelFact | undefined> {
  return schema.safeParse((await facts(run)).get(factName)?.value).data
}
