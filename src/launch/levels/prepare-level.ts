/**
 * What happens to the level of a loop when one of its runs is launched: escapes are looked for, conclusions are drawn, and
 * the report of the run says what changed since the run before.
 */

import { systemClock } from '../../engine/index.ts'
import { defined, levelNames, type RunId } from '../../loop/index.ts'
import { levelNotice } from '../../protocol/round/render-round-report.ts'
import { findJudgingAgent, judgesDigest } from '../calibrate/judges.ts'
import type { LaunchHost } from '../launch-host.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { proposedKinds } from '../to-loop-type.ts'
import { recordLevelFact } from './level-fact.ts'
import { updateLevels } from './update-levels.ts'

export interface LaunchedRun {
  readonly id: RunId
  /** The repository or folder that the level belongs to. */
  readonly project: string | undefined
}

const noticesMax = 10
/** Older work is looked at by `loopctl levels` and by the daemon. */
const runsMax = 100

/** Resolves with what the next report has to say about the level. */
export async function prepareLevel(
  host: LaunchHost,
  loaded: Pick<LoadedLoop, 'name' | 'definition'>,
  { id, project }: LaunchedRun,
  onProblem: (problem: string) => void,
): Promise<readonly string[]> {
  const { level: setting } = loaded.definition.file
  const kinds = proposedKinds(loaded)
  const judges = judgesDigest(loaded, host.loopTypes)
  const hasAgent = findJudgingAgent(loaded, host.loopTypes) !== undefined
  await recordLevelFact(host.journal, id, { setting, kinds, judges, hasAgent }, Date.now())
  // A loop that only reports has no level to lose, and none to win.
  if (setting === 1 || kinds.length === 0) return []
  const of = { loop: loaded.name, ...defined({ repository: project }) }
  await updateLevels({ ...host, clock: systemClock }, { ...of, runsMax, onProblem })
  return readNotices(host, { ...of, kinds, id })
}

interface NoticeScope {
  readonly loop: string
  readonly repository?: string
  readonly kinds: readonly string[]
  readonly id: RunId
}

async function readNotices(
  { journal }: LaunchHost,
  { loop, repository, kinds, id }: NoticeScope,
): Promise<readonly string[]> {
  const { runs } = await journal.pageRuns({ loop, limit: 50 })
  const earlier = runs.find(
    (row) => row.id !== id && (row.repository ?? row.workspace) === repository,
  )
  const sinceMs = earlier?.createdAtMs ?? 0
  const filter = { loop, repository: repository ?? '' }
  const changes = await journal.trust.changes({ ...filter, limit: noticesMax * 5 })
  return changes
    .filter(({ atMs, kind, cause }) => atMs >= sinceMs && cause !== 'bars' && kinds.includes(kind))
    .slice(0, noticesMax)
    .toReversed()
    .map(({ cause, kind, from, level, reason }) =>
      cause === 'proposed'
        ? `${levelNotice}${kind}: ${reason}. Accept it: loopctl levels accept ${loop}`
        : `${levelNotice}${kind}: ${levelNames[from]} became ${levelNames[level]} (${cause}): ${reason}`,
    )
}
