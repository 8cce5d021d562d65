/** All that an open question is about, read from the trees that it names. */

import { openQuestions, type RunRow, readCreated } from '../engine/index.ts'
import { codeOfReview, type FileDiff, readReview } from '../evidence/index.ts'
import { isEnd, LoopError, type OpenQuestion, type QuestionReview } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { repositoryOf } from '../runs/place-run.ts'
import { createTreeReader } from '../workspace/tree-reader.ts'

export interface ReviewedQuestion {
  readonly run: Pick<RunRow, 'id' | 'name'>
  readonly question: string
  readonly observed: string
  /** Those that need an approval first. */
  readonly files: readonly (FileDiff & { readonly needsApproval: boolean })[]
  /** What an answer has to name where the question itself does not show everything. */
  readonly code: string
}

type ReviewPorts = Pick<HostPorts, 'folder' | 'journal' | 'blobs'>

/** Without a run: of the only one that has such a question. */
export async function reviewQuestion(
  base: ReviewPorts,
  idOrName?: string,
): Promise<ReviewedQuestion> {
  const { run, asked, review } = await findReview(base, idOrName)
  const { worktree } = await readCreated(base.journal, run.id)
  const repository = worktree === undefined ? undefined : await repositoryOf(worktree)
  const { blobs, folder } = base
  const found = await readReview(createTreeReader({ blobs, folder, repository }), review)
  const { id, name } = run
  return {
    run: { id, name },
    question: asked.id,
    observed: review.observed,
    files: [
      ...found.first.map((file) => ({ ...file, needsApproval: true })),
      ...found.work.map((file) => ({ ...file, needsApproval: false })),
    ],
    code: codeOfReview(found),
  }
}

interface Found {
  readonly run: RunRow
  readonly asked: OpenQuestion
  readonly review: QuestionReview
}

async function findReview({ journal }: ReviewPorts, idOrName?: string): Promise<Found> {
  const runs =
    idOrName === undefined
      ? (await journal.listRuns()).filter(({ status }) => !isEnd(status))
      : [await journal.findRun(idOrName)]
  const found: Found[] = []
  for (const run of runs) {
    for (const asked of await openQuestions(journal, run.id)) {
      const { review } = asked.question
      if (review !== undefined) found.push({ run, asked, review })
    }
  }
  const [first] = found
  if (first !== undefined && (found.length === 1 || idOrName !== undefined)) return first
  throw found.length === 0 ? nothingToReview(idOrName) : severalReviews(found)
}

const nothingToReview = (run: string | undefined): LoopError =>
  new LoopError(
    'unknown-question',
    run === undefined
      ? 'No run asks to approve changes. See what is asked: loopctl inbox'
      : `The run "${run}" does not ask to approve changes. To see what it changed: loopctl diff ${run}`,
  )

const severalReviews = (found: readonly Found[]): LoopError =>
  new LoopError(
    'bad-request',
    `Several runs ask to approve changes: ${found.map(({ run }) => run.name).join(', ')}. Name one of them.`,
  )
