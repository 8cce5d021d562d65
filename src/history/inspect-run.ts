/** Collects everything that is known about a run. */

import type { Blobs, Store } from '../engine/index.ts'
import { type Checkpoint, loadRun, questionsOf, type RunRow } from '../engine/index.ts'
import {
  defined,
  listRunChecks,
  type OpenQuestion,
  type RunCheck,
  type RunId,
  type RunState,
} from '../loop/index.ts'
import { type RoundReport, roundLoopType } from '../protocol/round/round-report.ts'
import { type Review, readReview } from './review.ts'
import { readMergePositions } from './views/merge-positions.ts'
import { readSpecFiles } from './views/spec-files.ts'

/** The state of a run, with its open questions, checkpoints and checks. Returned by `host.inspect`. */
export interface Inspection {
  readonly run: RunRow
  readonly state: RunState
  /** Why it was suspended, if it is. */
  readonly why?: string
  readonly questions: readonly OpenQuestion[]
  readonly checkpoints: readonly Checkpoint[]
  /** Each check with its status on the current files. Absent: an older daemon answered. */
  readonly checks?: readonly RunCheck[]
  /** What was decided about its work, if anything. */
  readonly review?: Review
  /** The newest report of a round. Absent: it is none, or has not reported yet. */
  readonly round?: RoundReport
}

export async function inspectRun(
  journal: Store,
  idOrName: string,
  blobs?: Blobs,
): Promise<Inspection> {
  const run = await journal.findRun(idOrName)
  const loaded = await loadRun(journal, run.id)
  const why = await findSuspensionReason(journal, run)
  const review = await readReview({ journal }, run.id)
  const merging = (await readMergePositions(journal, [run])).get(run.id)
  const isRound = blobs !== undefined && loaded.created.loopType === roundLoopType
  const round = isRound ? await readReport(journal, blobs, run.id) : undefined
  const files = blobs === undefined ? {} : await readSpecFiles({ blobs }, loaded.created)
  return {
    run: { ...run, ...files, ...defined({ merging }) },
    state: loaded.state,
    ...defined({ why }),
    questions: await questionsOf(journal, run.id, loaded),
    checkpoints: await journal.checkpoints(run.id),
    checks: listRunChecks(loaded.state, loaded.state.tree),
    ...(review.status === 'pending' ? {} : { review }),
    ...defined({ round }),
  }
}

/** Decisions may be recorded after the suspension, so several of the last events are read. */
const eventsRead = 20

async function findSuspensionReason(
  journal: Store,
  { id, status, lastSeq }: RunRow,
): Promise<string | undefined> {
  if (status !== 'suspended') return undefined
  const last = await journal.read(id, { afterSeq: Math.max(0, lastSeq - eventsRead) })
  const suspended = last.findLast(({ event }) => event.type === 'run-suspended')?.event
  return suspended?.type === 'run-suspended' ? suspended.reason : undefined
}

/** Its schema is only loaded for rounds. */
async function readReport(
  journal: Store,
  blobs: Blobs,
  run: RunId,
): Promise<RoundReport | undefined> {
  const { findRoundReport } = await import('./rounds/find-round-report.ts')
  return findRoundReport({ journal, blobs }, run)
}
