/** The levels of loops, from the store, the journals of their runs, and what `loopctl calibrate` measured. */

import { type LevelScope, type RunRow, settingCauses } from '../../engine/index.ts'
import { barsIn } from '../../history/levels/bars.ts'
import {
  findStanding,
  type JudgeCalibration,
  type Known,
  type Standing,
  trialsMax,
} from '../../history/levels/standing.ts'
import { readTrials, type Trial } from '../../history/levels/trials.ts'
import { ceilingOf, defined, type Level } from '../../loop/index.ts'
import type { LevelEntry, LevelStanding } from '../../protocol/api/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { readJudges } from '../calibrate/judges.ts'
import { type KnownRuns, nothingKnown } from './known-runs.ts'
import { type LevelFact, readLevelFact, wasJudgedBy } from './level-fact.ts'

type Base = Pick<HostPorts, 'folder' | 'journal' | 'blobs'>

export interface KnownScope extends LevelScope {
  /** What its newest run was launched with. */
  readonly fact?: LevelFact
}

const runsMax = 1000
const changesMax = 1000
const historyMax = 20

const keyOf = ({ loop, repository = '', kind }: LevelScope): string =>
  JSON.stringify([loop, repository, kind])

const projectOf = ({ repository, workspace }: RunRow): string | undefined => repository ?? workspace

/** Of every loop that ran or was given a level. */
export async function findScopes(
  base: Pick<Base, 'journal'>,
  loop?: string,
): Promise<readonly KnownScope[]> {
  const { journal } = base
  const scopes = new Map<string, KnownScope>()
  const { runs } = await journal.pageRuns({ limit: runsMax, ...defined({ loop }) })
  const seen = new Set<string>()
  for (const row of runs) {
    const repository = projectOf(row)
    const place = JSON.stringify([row.loop, repository])
    if (seen.has(place)) continue
    const fact = await readLevelFact(journal, row.id)
    // The newest run that says what it was launched with.
    if (fact === undefined) continue
    seen.add(place)
    for (const kind of fact.kinds) {
      const scope = { loop: row.loop, kind, ...defined({ repository }) }
      scopes.set(keyOf(scope), { ...scope, fact })
    }
  }
  const changes = await journal.trust.changes({ limit: changesMax, ...defined({ loop }) })
  for (const { loop: name, kind, repository } of changes) {
    const scope = { loop: name, kind, ...defined({ repository }) }
    if (!scopes.has(keyOf(scope))) scopes.set(keyOf(scope), scope)
  }
  return [...scopes.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

export interface KnownStanding {
  readonly standing: Standing
  readonly view: LevelStanding
  /** The id of the last change; 0: there was none. */
  readonly lastId: number
}

export async function readStanding(
  base: Base,
  scope: KnownScope,
  known: KnownRuns = nothingKnown,
): Promise<KnownStanding> {
  const { loop, repository, kind, fact } = scope
  const filter = { loop, repository: repository ?? '', kind }
  const { trust } = base.journal
  const [history, [set], [barsChange], [reset]] = await Promise.all([
    trust.changes({ ...filter, limit: historyMax }),
    trust.changes({ ...filter, causes: settingCauses, limit: 1 }),
    trust.changes({ ...filter, causes: ['bars'], limit: 1 }),
    trust.changes({ ...filter, causes: ['granted', 'escape'], limit: 1 }),
  ])
  const bars = barsIn(barsChange)
  const standing = findStanding({
    ...(await findTrials(base, scope, reset?.atMs ?? 0, known)),
    bars,
    calibration: await findCalibration(base, loop, fact),
    ...defined({
      setting: fact?.setting,
      stored: set?.level ?? (fact === undefined ? history[0]?.level : undefined),
    }),
  })
  const { level, evidence, next, missing } = standing
  const proposed = proposalIn(history, level, fact)
  const view: LevelStanding = {
    loop,
    kind,
    level,
    earns: fact?.setting === 'earned',
    evidence,
    bars,
    missing,
    history: history.map(toEntry),
    ...defined({
      repository,
      next,
      proposed,
      ceiling: fact === undefined ? undefined : ceilingOf(fact.setting),
    }),
  }
  return { standing, view, lastId: history[0]?.id ?? 0 }
}

/** Open until the level changes, and void while something else judges the work than what it was concluded from. */
function proposalIn(
  history: Awaited<ReturnType<Base['journal']['trust']['changes']>>,
  level: Level,
  fact: LevelFact | undefined,
): Level | undefined {
  const [last] = history.filter(({ cause }) => cause !== 'bars')
  if (last?.cause !== 'proposed') return undefined
  const { to, judges } = (last.details ?? {}) as Readonly<Record<string, unknown>>
  if (fact !== undefined && fact.judges !== judges) return undefined
  return (to === 2 || to === 3) && to > level ? to : undefined
}

export const toEntry = ({
  id,
  loop,
  repository,
  kind,
  cause,
  from,
  level,
  by,
  reason,
  atMs,
}: Awaited<ReturnType<Base['journal']['trust']['changes']>>[number]): LevelEntry => ({
  id,
  loop,
  kind,
  cause,
  from,
  level,
  by,
  reason,
  atMs,
  ...defined({ repository }),
})

/**
 * Of runs that were created after the level was set by a person or lowered: what was before does not count again. And only of
 * those that were judged by what judges the work now: only that is what a calibration says anything about.
 */
async function findTrials(
  base: Base,
  { loop, repository, kind, fact }: KnownScope,
  afterMs: number,
  known: KnownRuns,
): Promise<Pick<Known, 'trials' | 'hasOthers'>> {
  const filter = { loop, createdAfterMs: afterMs, limit: runsMax }
  const { runs } = await base.journal.pageRuns(filter)
  const trials: Trial[] = []
  let hasOthers = false
  for (const row of runs) {
    if (projectOf(row) !== repository || trials.length >= trialsMax) continue
    if (!wasJudgedBy(await readLevelFact(base.journal, row.id), fact?.judges)) {
      hasOthers = true
      continue
    }
    const [trial] = (await readKnownTrials(base, row, known)).filter(
      (one) => one.kind === undefined || one.kind === kind,
    )
    if (trial !== undefined) trials.push(trial)
  }
  return { trials, hasOthers }
}

async function readKnownTrials(
  base: Base,
  row: RunRow,
  known: KnownRuns,
): Promise<readonly Trial[]> {
  const { id: run, name, createdAtMs: atMs } = row
  const before = known.of(row).trials
  if (before !== undefined) return before.map((trial) => ({ run, name, atMs, ...trial }))
  const found = await readTrials(base, row)
  const trials = found.map(({ isSuccess, kind }) => ({ isSuccess, ...defined({ kind }) }))
  known.learn(row, { trials })
  return found
}

async function findCalibration(
  { folder }: Base,
  loop: string,
  fact: LevelFact | undefined,
): Promise<JudgeCalibration> {
  const hasAgent = fact?.hasAgent === true
  const what = hasAgent ? 'the checker' : 'what checks its work'
  const measured = fact && (await readJudges(folder, loop, fact.judges))
  const rate = hasAgent ? measured?.agent : measured?.together
  return rate === undefined || rate.n === 0
    ? { what }
    : { what, falseAcceptsHigh: rate.high, falseRejects: rate.rejected }
}
