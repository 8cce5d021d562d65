/**
 * What only a person can decide, as one question with the diff. An approval holds for exactly this tree
 * and exactly these concerns: more work, or another concern, is another question.
 */

import type { Certification, GivenAnswer, Subject } from '../../engine/index.ts'
import { keepEnd, type Question, type Refusal } from '../../loop/index.ts'
import type { Concern } from './concerns.ts'
import { digestOf } from './digest.ts'

export interface Approval {
  readonly codes: readonly string[]
  readonly by: string
  /** Of the diff that was shown. */
  readonly diffDigest: string
}

export type Asked =
  | { readonly type: 'approved'; readonly approval: Approval }
  | Extract<Certification, { type: 'refused' | 'asks' }>

export interface ApprovalRequest {
  readonly subject: Subject
  readonly concerns: readonly Concern[]
  /** What changed of the sealed things, for people. */
  readonly diff: string
  readonly changes: 'ask' | 'refuse'
  readonly deadlineMs?: number | undefined
}

const approve = 'approve'
const reject = 'reject'
const textCharsMax = 12_000

export function askApproval(request: ApprovalRequest): Asked {
  const { subject, concerns, diff, changes } = request
  const final = concerns.filter(({ mayBeApproved }) => !mayBeApproved)
  if (final.length > 0 || changes === 'refuse') return refused(concerns)
  const key = keyOf(request)
  const answer = subject.answers.find((one) => one.key === key)
  if (answer === undefined) return { type: 'asks', key, question: questionFor(request) }
  if (answer.answer !== approve) return refused(concerns.map((one) => declined(one, answer)))
  const codes = concerns.map(({ code }) => code)
  return {
    type: 'approved',
    approval: { codes, by: answer.who ?? answer.by, diffDigest: digestOf(diff) },
  }
}

export const refused = (
  concerns: readonly Refusal[],
): Extract<Certification, { type: 'refused' }> => ({
  type: 'refused',
  refusals: concerns.map(({ code, message, check, findings }) => ({
    code,
    message,
    ...(check === undefined ? {} : { check }),
    ...(findings === undefined ? {} : { findings }),
  })),
})

/** The step's name: the same for the same files and concerns, also after a restart. */
export const keyOf = ({ subject, concerns, diff }: ApprovalRequest): string => {
  const codes = concerns.map(({ code, check }) => `${code} ${check ?? ''}`).toSorted()
  return `approve-${digestOf([subject.tree ?? '', diff, ...codes].join('\n')).slice(0, 12)}`
}

function questionFor({ subject, concerns, diff, deadlineMs }: ApprovalRequest): Question {
  const said = concerns.map(({ message }) => message).join('\n\n')
  const shown = diff === '' ? '' : `\n\nThe diff:\n${diff}`
  const text = `${subject.name} meets "${subject.condition}", but:\n\n${said}${shown}`
  return {
    text: shorten(text),
    options: [approve, reject],
    default: reject,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  }
}

/** The concerns come first, so that it is the diff which is cut. */
const shorten = (text: string): string =>
  text.length <= textCharsMax
    ? text
    : `${text.slice(0, textCharsMax)}\n[… cut; loopctl diff shows all of it]`

function declined(concern: Concern, { by, who }: GivenAnswer): Concern {
  const why =
    by === 'default'
      ? 'Nobody answered in time, so the safe answer was taken: no.'
      : `${who ?? 'A person'} was asked to approve of it and said no.`
  return { ...concern, message: `${why} ${keepEnd(concern.message, textCharsMax)}` }
}
