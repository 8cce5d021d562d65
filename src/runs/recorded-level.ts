/** The level that a run was last driven with, from its journal. */

import type { Journal } from '../engine/index.ts'
import { defaultLevel, type Level, type RunId } from '../loop/index.ts'

export async function readRecordedLevel(
  journal: Pick<Journal, 'read'>,
  run: RunId,
): Promise<Level> {
  const started = (await journal.read(run, { types: ['run-started'] })).at(-1)?.event
  return (started?.type === 'run-started' ? started.level : undefined) ?? defaultLevel
}
