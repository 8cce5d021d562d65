/** One run with all that is known about it. */

import type { Store } from '../engine/index.ts'
import { type Checkpoint, loadRun, questionsOf, type RunRow } from '../engine/index.ts'
import {
  defined,
  listRunChecks,
  type OpenQuestion,
  type RunCheck,
  type RunState,
} from '../loop/index.ts'
import { type Review, readReview } from './review.ts'

/** The state of a run, with its open questions, checkpoints and checks. Returned by `host.inspect`. */
export interface Inspection {
  readonly run: RunRow
  readonly state: RunState
  /** Why it was left, where it is suspended. */
  readonly why?: string
  readonly questions: readonly OpenQuestion[]
  readonly checkpoints: readonly Checkpoint[]
  /** Each check, and its status on the files as they are now. Absent: an older daemon answered. */
  readonly checks?: readonly RunCheck[]
  /** What became of its work, once somebody has decided. */
  readonly review?: Review
}

export async function inspectRun(journal: Store, idOrName: string): Promise<Inspection> {
  const run = await journal.findRun(idOrName)
  const loaded = await loadRun(journal, run.id)
  const why = await whyLeft(journal, run)
  const review = await readReview({ journal }, run.id)
  return {
    run,
    state: loaded.state,
    ...defined({ why }),
    questions: await questionsOf(journal, run.id, loaded),
    checkpoints: await journal.checkpoints(run.id),
    checks: listRunChecks(loaded.state, loaded.state.tree),
    ...(review.status === 'pending' ? {} : { review }),
  }
}

/** What may be told to a run that was left comes after it was. */
const lookedAt = 20

async function whyLeft(
  journal: Store,
  { id, status, lastSeq }: RunRow,
): Promise<string | undefined> {
  if (status !== 'suspended') return undefined
  const last = await journal.read(id, { afterSeq: Math.max(0, lastSeq - lookedAt) })
  const left = last.findLast(({ event }) => event.type === 'run-suspended')?.event
  return left?.type === 'run-suspended' ? left.reason : undefined
}
