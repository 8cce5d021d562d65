/** Reads the changes that an open question asks to approve, from the trees that it names. */

import { openQuestions, type RunRow, readCreated } from '../engine/index.ts'
import { type FileDiff, readReview, toReviewCode } from '../evidence/index.ts'
import { isEnd, LoopError, type OpenQuestion, type QuestionReview } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { repositoryOf } from '../runs/place-run.ts'
import { createTreeReader } from '../workspace/tree-reader.ts'

export interface QuestionChanges {
  readonly run: Pick<RunRow, 'id' | 'name'>
  readonly question: string
  readonly observed: string
  /** Files that need an approval come first. */
  readonly files: readonly (FileDiff & { readonly needsApproval: boolean })[]
  /** An answer must include it if the question itself does not show everything. */
  readonly code: string
}

type ReviewPorts = Pick<HostPorts, 'folder' | 'journal' | 'blobs'>

/** Without a run: uses the only run with such a question. */
export async function reviewQuestion(
  base: ReviewPorts,
  idOrName?: string,
): Promise<QuestionChanges> {
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
    code: toReviewCode(found),
  }
}

interface ReviewCandidate {
  readonly run: RunRow
  readonly asked: OpenQuestion
  readonly review: QuestionReview
}

async function findReview({ journal }: ReviewPorts, idOrName?: string): Promise<ReviewCandidate> {
  const runs =
    idOrName === undefined
      ? (await journal.listRuns()).filter(({ status }) => !isEnd(status))
      : [await journal.findRun(idOrName)]
  const found: ReviewCandidate[] = []
  for (const run of runs) {
    for (const asked of await openQuestions(journal, run.id)) {
      const { review } = asked.question
      if (review !== undefined) found.push({ run, asked, review })
    }
  }
  const [first] = found
  if (first !== undefined && (found.length === 1 || idOrName !== undefined)) return first
  throw found.length === 0 ? createNoReviewError(idOrName) : createAmbiguousReviewError(found)
}

const createNoReviewError = (run: string | undefined): LoopError =>
  new LoopError(
    'unknown-question',
    run === undefined
      ? 'No run asks to approve changes. See open questions with: loopctl inbox'
      : `The run "${run}" does not ask to approve changes. See what it changed with: loopctl diff ${run}`,
  )

const createAmbiguousReviewError = (found: readonly ReviewCandidate[]): LoopError =>
  new LoopError(
    'bad-request',
    `Several runs ask to approve changes: ${found.map(({ run }) => run.name).join(', ')}. Name one of them.`,
  )
