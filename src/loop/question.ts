/**
 * Questions to people. A question has options or a free-text answer, a safe default, and a deadline at
 * which the default is taken (E9). It says which kinds of answers it takes and shows the evidence.
 */

import type { AnswerKind } from './decision.ts'
import type { CheckStatus } from './evidence.ts'
import type { StepId, TreeId } from './ids.ts'
import type { Json } from './json.ts'
import { parseStepId } from './step/step-name.ts'

/** A question to a person, with a default that is taken at the deadline. */
export interface Question {
  readonly text: string
  /** The valid answers. Absent: any text. */
  readonly options?: readonly string[]
  /** Taken at the deadline. Must be one of the options. */
  readonly default: string
  /** How long to wait. Default: 24 hours. */
  readonly deadlineMs?: number
  /** What `loopctl diff --review` shows for this question. */
  readonly review?: QuestionReview
  /** The text does not show everything: this option requires the code at the end of the full review. */
  readonly confirm?: { readonly option: string; readonly code: string }
  /** What accept, reject, respond and edit mean. Absent: only options, or free text. */
  readonly kinds?: AnswerKinds
  /** What the question is based on. */
  readonly evidence?: QuestionEvidence
  /** For programs: a later question of the same loop about the same replaces it. Absent: none does. */
  readonly about?: string
}

/** The kinds of answers that a question takes, and the option that each of them selects. */
export interface AnswerKinds {
  readonly accept?: string
  readonly reject?: string
  /** What a person says reaches the context of the next agent. */
  readonly respond?: string
  readonly edit?: EditRule
}

export interface EditRule {
  readonly option: string
  /** What is proposed. An edited value must have the same shape. */
  readonly value: Json
}

/** What a person needs to see before they answer. The engine limits its size. */
export interface QuestionEvidence {
  /** What happened, one sentence each. */
  readonly happened: readonly string[]
  /** What the run changed: `loopctl diff` shows it. */
  readonly diff?: { readonly base: TreeId; readonly tree: TreeId; readonly files?: number }
  readonly checks?: readonly EvidentCheck[]
}

export interface EvidentCheck {
  readonly check: string
  readonly status: CheckStatus
  /** The lines of its output that matter. */
  readonly output?: string
}

/** Two trees to compare, and the files to show first because they need an approval. */
export interface ReviewedTrees {
  readonly base: TreeId
  readonly tree: TreeId
  readonly first: readonly string[]
}

export interface QuestionReview extends ReviewedTrees {
  /** What was observed, for people. */
  readonly observed: string
}

/** The answer to a question, and whether a person gave it or the deadline passed. */
export interface Answer {
  readonly answer: string
  readonly by: 'person' | 'default'
  readonly who?: string
  /** Absent: one of the options, or free text where there are none. */
  readonly kind?: AnswerKind
  /** With `respond`: what the person said. */
  readonly text?: string
  /** With `edit`: the edited value. */
  readonly value?: Json
}

/** A question as the inbox shows it. */
export interface OpenQuestion {
  readonly id: string
  readonly question: Question
  readonly askedAtMs: number
  readonly deadlineAtMs: number
}

export const questionDeadlineMs: number = 24 * 3_600_000

/** The name that the loop chose: `tone` in `1/ask:tone#1`. */
export const questionName = (id: string): string => parseStepId(id as StepId).name

/** Why a question is invalid; undefined if it is valid. */
export function findQuestionProblem(question: Question): string | undefined {
  const texts: readonly unknown[] = [question.text, question.default, ...(question.options ?? [])]
  if (texts.some((text) => typeof text !== 'string')) return 'its texts are not all strings'
  if (question.text.trim() === '') return 'its text is empty'
  if (question.options?.length === 0) return 'its list of options is empty'
  if (question.options !== undefined && !question.options.includes(question.default)) {
    return `its default "${question.default}" is not among its options`
  }
  const { deadlineMs, confirm } = question
  const selected = Object.entries(selectedBy(question.kinds)).find(
    ([, option]) => question.options?.includes(option) === false,
  )
  if (selected !== undefined) {
    return `"${selected[1]}", which ${selected[0]} selects, is not among its options`
  }
  if (confirm !== undefined && question.options?.includes(confirm.option) !== true) {
    return `"${confirm.option}", which needs a code, is not among its options`
  }
  if (deadlineMs !== undefined && !(Number.isFinite(deadlineMs) && deadlineMs >= 0)) {
    return 'its deadline is not a number of milliseconds'
  }
  return undefined
}

/** The option that each kind selects. */
export const selectedBy = ({
  edit,
  ...kinds
}: AnswerKinds = {}): Readonly<Partial<Record<AnswerKind, string>>> => ({
  ...kinds,
  ...(edit === undefined ? {} : { edit: edit.option }),
})

const happenedMax = 50
const textCharsMax = 500
const checksMax = 50
const outputCharsMax = 2000

/** The journal and every view of a question contain its evidence, so its size is limited (E9). */
export function limitEvidence(evidence: QuestionEvidence): QuestionEvidence {
  const { happened, checks } = evidence
  return {
    ...evidence,
    happened: happened.slice(0, happenedMax).map((one) => one.slice(0, textCharsMax)),
    ...(checks === undefined
      ? {}
      : {
          checks: checks.slice(0, checksMax).map(({ output, ...check }) => ({
            ...check,
            ...(output === undefined ? {} : { output: output.slice(0, outputCharsMax) }),
          })),
        }),
  }
}

/** The part of a question that names what it is about: its first line, or the second if the first only leads to it. */
export function shortQuestion(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const [first = '', second] = lines
  if (!first.trimEnd().endsWith(':') || second === undefined) return first
  return second.replace(/^\s*[-*]\s+/, '')
}
