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
  /** Of the diff that was shown, or of what was approved. */
  readonly diffDigest: string
  /** Absent: now. */
  readonly atMs?: number
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
  concerns: readonly (Refusal & Pick<Concern, 'printed'>)[],
): Extract<Certification, { type: 'refused' }> => ({
  type: 'refused',
  refusals: concerns.map(({ code, message, check, findings, printed }) => ({
    code,
    message: printed === undefined ? message : `${message}\n${printedText(printed)}`,
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
  const shown = diff === '' ? '' : `\n\nThe diff:\n${diff.trimEnd()}`
  const output = concerns
    .flatMap(({ printed }) => (printed === undefined ? [] : [printedText(fewLines(printed))]))
    .map((text) => `\n\n${text}`)
    .join('')
  const text = `${subject.name} meets "${subject.condition}", but:\n\n${said}${shown}${output}`
  return {
    text: shorten(text),
    options: [approve, reject],
    default: reject,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  }
}

const printedText = (printed: string): string =>
  `With all of that as it was, it printed:\n${printed}`

const printedLinesMax = 20
const lineCharsMax = 200

/** Its beginning and its end: the first failure, and the summary. */
function fewLines(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => (line.length > lineCharsMax ? `${line.slice(0, lineCharsMax)}…` : line))
  if (lines.length <= printedLinesMax) return lines.join('\n')
  const half = printedLinesMax / 2
  const left = `[… ${lines.length - printedLinesMax} lines]`
  return [...lines.slice(0, half), left, ...lines.slice(-half)].join('\n')
}

/** The concerns come first, so that it is the diff or the output which is cut. */
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
