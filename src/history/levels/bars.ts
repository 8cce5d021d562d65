/** What is required for a level: the defaults, and what a person changed. */

import type { LevelChange } from '../../engine/index.ts'
import { type LevelBars, levelBarsSchema } from '../../protocol/api/levels.ts'

/**
 * Level 2 still asks a person about each action, so that ten verified rounds in a row are enough. Level 3 does not: it takes
 * thirty in a row, or more with a failure among them.
 */
export const defaultBars: LevelBars = {
  confidence: 0.95,
  2: { bar: 0.7, minimum: 10 },
  3: { bar: 0.9, minimum: 30 },
  falseAcceptsMax: 0.2,
}

/** Of the newest change of that kind. A value that cannot be read does not lower what is required. */
export function barsIn(change: Pick<LevelChange, 'details'> | undefined): LevelBars {
  return levelBarsSchema.safeParse(change?.details).data ?? defaultBars
}
