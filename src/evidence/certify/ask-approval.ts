/**
 * Asks a person for approval, in one question with the diff. An approval holds for exactly this tree and exactly
 * these concerns: more work, or another concern, is another question.
 *
 * Nothing can be approved unseen: either the question shows everything that needs an approval, or the answer
 * contains the code at the end of the full review.
 */

import type { Certification, GivenAnswer, Subject, TreeReader } from '../../engine/index.ts'
import {
  defined,
  formatConfirmedAnswer,
  keepEnd,
  type Question,
  type Refusal,
  type ReviewedTrees,
  selectKeyLines,
} from '../../loop/index.ts'
import type { Approval } from './certification.ts'
import { sha256 } from './digest.ts'
import type { Concern } from './observations.ts'
import { type Review, readReview, toReviewCode } from './review.ts'
import { type ReviewLimits, renderReview, unlimited } from './review-text.ts'

export type ApprovalOutcome =
  | { readonly type: 'approved'; readonly approval: Approval }
  | Extract<Certification, { type: 'refused' | 'asks' }>

export interface ApprovalRequest {
  readonly subject: Subject
  readonly concerns: readonly Concern[]
  readonly reader: TreeReader
  /** The trees, and which differences need an approval: weakened or failing files first. */
  readonly review: ReviewedTrees
  readonly changes: 'ask' | 'refuse'
  readonly deadlineMs?: number | undefined
}

const approve = 'approve'
const reject = 'reject'
/** Longer ones are shown by `loopctl diff --review`; then only the code at its end approves them. */
const limits: ReviewLimits = { firstBytes: 200_000, workBytes: 20_000 }

export async function askApproval(request: ApprovalRequest): Promise<ApprovalOutcome> {
  const { subject, concerns, changes } = request
  const final = concerns.filter(({ mayBeApproved }) => !mayBeApproved)
  if (final.length > 0 || changes === 'refuse') return refused(concerns)
  const key = createApprovalKey(request)
  const review = await readReview(request.reader, request.review)
  const question = createQuestion(request, review)
  const answer = subject.answers.find((given) => given.key === key)
  if (answer === undefined) return { type: 'asks', key, question }
  const { confirm } = question
  const expected = confirm === undefined ? approve : formatConfirmedAnswer(confirm)
  if (answer.answer !== expected) {
    return refused(concerns.map((concern) => declined(concern, answer)))
  }
  const codes = concerns.map(({ code }) => code)
  return {
    type: 'approved',
    approval: { codes, by: answer.who ?? answer.by, diffDigest: review.digest },
  }
}

export const refused = (
  concerns: readonly (Refusal & Pick<Concern, 'printed'>)[],
): Extract<Certification, { type: 'refused' }> => ({
  type: 'refused',
  refusals: concerns.map(({ code, message, check, findings, printed }) => ({
    code,
    message: printed === undefined ? message : `${message}\n${printedText(printed)}`,
    ...defined({ check, findings }),
  })),
})

/** The name of the step: the same for the same files and concerns, also after a restart. */
export const createApprovalKey = ({
  concerns,
  review: { base, tree, first },
}: Pick<ApprovalRequest, 'concerns' | 'review'>): string => {
  const codes = concerns.map(({ code, check }) => `${code} ${check ?? ''}`).toSorted()
  return `approve-${sha256([base, tree, ...first, ...codes].join('\n')).slice(0, 12)}`
}

/** What was observed, then every file that needs an approval, then the work, then the output of checks. */
function createQuestion(request: ApprovalRequest, review: Review): Question {
  const { subject, concerns, deadlineMs } = request
  // Without a run, `loopctl diff` cannot show it later.
  const isRun = subject.iteration > 0
  const rendered = renderReview(review, isRun ? limits : unlimited)
  const confirm =
    rendered.firstHidden === 0 ? undefined : { option: approve, code: toReviewCode(review) }
  const command = `loopctl diff --review ${subject.name}`
  const hint =
    confirm === undefined
      ? `To read everything: ${command}`
      : `Files that need an approval are not shown above. Read all of them with "${command}". To approve, answer with the code at its end: ${approve} <code>`
  const observed = concerns.map(({ message }) => message.trimEnd()).join('\n\n')
  const text = [
    `${subject.name} meets "${subject.condition}". Approve what certification observed?`,
    observed,
    ...(rendered.text === '' ? [] : [rendered.text]),
    ...concerns.flatMap(({ printed }) =>
      printed === undefined ? [] : [printedText(firstLines(printed))],
    ),
    ...(isRun && rendered.text !== '' ? [hint] : []),
  ].join('\n\n')
  return {
    text,
    options: [approve, reject],
    default: reject,
    ...defined({ deadlineMs }),
    kinds: { accept: approve, reject, ...(isRun ? { respond: reject } : {}) },
    evidence: {
      happened: concerns.map(({ message }) => message.trimEnd()),
      diff: {
        base: request.review.base,
        tree: request.review.tree,
        files: request.review.first.length,
      },
    },
    ...(isRun ? { review: { ...request.review, observed } } : {}),
    ...defined({ confirm }),
  }
}

const printedText = (printed: string): string => `The failing run printed:\n${printed}`

const printedLinesMax = 20
const lineCharsMax = 200

/** The first failure and the summary. */
const firstLines = (text: string): string =>
  selectKeyLines(text, printedLinesMax)
    .map((line) => (line.length > lineCharsMax ? `${line.slice(0, lineCharsMax)}…` : line))
    .join('\n')

const messageCharsMax = 12_000

function declined(concern: Concern, { by, who }: GivenAnswer): Concern {
  const why =
    by === 'default'
      ? 'The question was not answered in time, so the default was taken: reject.'
      : `${who ?? 'A person'} did not approve this.`
  return { ...concern, message: `${why} ${keepEnd(concern.message, messageCharsMax)}` }
}
