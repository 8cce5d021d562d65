/** Sums up what all loops did since a time, from their journals. Reads only. */

import { loadRun, type RunRow, settingCauses } from '../../engine/index.ts'
import { findEscalated } from '../../history/rounds/find-escalations.ts'
import { findRoundReport } from '../../history/rounds/find-round-report.ts'
import type { RecordSource } from '../../history/views/record-source.ts'
import { ceilingOf, defined, inOneLine, inputTokensOf, isLoopError } from '../../loop/index.ts'
import type { Digest, LoopDigest, UndeliveredReport } from '../../protocol/api/index.ts'
import { findScopes, toEntry } from '../levels/read-levels.ts'
import { readDeliveries } from './delivery-facts.ts'

const runsMax = 2000
const pageSize = 500
const questionsMax = 100
const changesMax = 200
const textCharsMax = 300

/** Without the schedules, which a daemon reads. */
export async function readDigest(
  source: RecordSource,
  sinceMs: number,
  untilMs: number,
): Promise<Omit<Digest, 'schedules'>> {
  const { rows, isPartial } = await readRows(source, sinceMs)
  const loops = new Map<string, LoopDigest>()
  const undelivered: UndeliveredReport[] = []
  for (const row of rows) {
    try {
      const key = JSON.stringify([row.loop, projectOf(row)])
      loops.set(key, await add(source, loops.get(key) ?? emptyDigest(row), row))
      undelivered.push(...(await readUndelivered(source, row)))
    } catch (error) {
      // Removed meanwhile.
      if (!isLoopError(error, 'unknown-run')) throw error
    }
  }
  return {
    sinceMs,
    untilMs,
    loops: [...loops.values()].toSorted(
      (a, b) => b.costMicros - a.costMicros || (a.loop < b.loop ? -1 : 1),
    ),
    escalations: await readEscalations(source),
    escalated: await findEscalated(source, sinceMs),
    levels: await readChanges(source, sinceMs),
    capped: await readCapped(source),
    undelivered,
    isPartial,
  }
}

const projectOf = ({ repository, workspace }: RunRow): string | undefined => repository ?? workspace

async function readRows(
  { journal }: RecordSource,
  createdAfterMs: number,
): Promise<{ readonly rows: readonly RunRow[]; readonly isPartial: boolean }> {
  const rows: RunRow[] = []
  let before: number | undefined
  do {
    const page = await journal.pageRuns({ createdAfterMs, limit: pageSize, ...defined({ before }) })
    rows.push(...page.runs)
    before = page.next
  } while (before !== undefined && rows.length < runsMax)
  return { rows, isPartial: before !== undefined }
}

const emptyDigest = (row: RunRow): LoopDigest => ({
  loop: row.loop,
  ...defined({ repository: projectOf(row) }),
  runs: 0,
  outcomes: {},
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
  questions: 0,
  waitedMs: 0,
})

async function add(source: RecordSource, sum: LoopDigest, row: RunRow): Promise<LoopDigest> {
  const { spent, attention } = (await loadRun(source.journal, row.id)).state
  const report = await findRoundReport(source, row.id)
  const outcome = report?.outcome.type ?? row.status
  return {
    ...sum,
    runs: sum.runs + 1,
    outcomes: { ...sum.outcomes, [outcome]: (sum.outcomes[outcome] ?? 0) + 1 },
    inputTokens: sum.inputTokens + inputTokensOf(spent),
    outputTokens: sum.outputTokens + (spent.outputTokens ?? 0),
    costMicros: sum.costMicros + spent.costMicros,
    questions: sum.questions + attention.questions,
    waitedMs: sum.waitedMs + attention.waitedMs,
  }
}

async function readEscalations({ journal }: RecordSource): Promise<Digest['escalations']> {
  const open = await journal.questions({ limit: questionsMax })
  const found: Digest['escalations'][number][] = []
  for (const { run, name, question, askedAtMs, deadlineAtMs } of open) {
    const { loop } = await journal.findRun(run)
    const text = inOneLine(question.text, textCharsMax)
    found.push({ run: name, loop, text, askedAtMs, deadlineAtMs })
  }
  return found
}

const readChanges = async ({ journal }: RecordSource, sinceMs: number): Promise<Digest['levels']> =>
  (await journal.trust.changes({ limit: changesMax }))
    .filter(({ atMs }) => atMs >= sinceMs)
    .map(toEntry)

/** What a person gave, or the evidence, and the loop file does not allow. */
async function readCapped({ journal }: RecordSource): Promise<Digest['capped']> {
  const found: Digest['capped'][number][] = []
  for (const { loop, repository, kind, fact } of await findScopes({ journal })) {
    if (fact === undefined) continue
    const filter = { loop, repository: repository ?? '', kind, causes: settingCauses, limit: 1 }
    const [set] = await journal.trust.changes(filter)
    const ceiling = ceilingOf(fact.setting)
    if (set === undefined || set.level <= ceiling) continue
    found.push({ loop, kind, granted: set.level, ceiling, ...defined({ repository }) })
  }
  return found
}

async function readUndelivered(
  { journal }: RecordSource,
  { id, name, loop }: RunRow,
): Promise<readonly UndeliveredReport[]> {
  const { sinks, deliveries } = await readDeliveries(journal, id)
  return deliveries.flatMap(({ status, sink, tries, error = '' }) =>
    status === 'delivered'
      ? []
      : [{ run: name, loop, sink: sinks[sink]?.type ?? 'unknown', status, tries, error }],
  )
}
