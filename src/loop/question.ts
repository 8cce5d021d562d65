/**
 * Questions to people. A question has options or a free-text answer, a safe default, and a deadline at
 * which the default is taken (E9).
 */

import type { StepId, TreeId } from './ids.ts'
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
  if (confirm !== undefined && question.options?.includes(confirm.option) !== true) {
    return `"${confirm.option}", which needs a code, is not among its options`
  }
  if (deadlineMs !== undefined && !(Number.isFinite(deadlineMs) && deadlineMs >= 0)) {
    return 'its deadline is not a number of milliseconds'
  }
  return undefined
}

/** Why an answer is invalid; undefined if it is valid. */
export function findAnswerProblem(question: Question, answer: string): string | undefined {
  const { confirm } = question
  if (confirm !== undefined && answer.split(' ', 1)[0] === confirm.option) {
    return answer === formatConfirmedAnswer(confirm) ? undefined : needsCode(confirm.option)
  }
  if (question.options === undefined || question.options.includes(answer)) return undefined
  return `"${answer}" is not an option; choose one of: ${question.options.join(', ')}`
}

/** The answer that selects an option which requires a code. */
export const formatConfirmedAnswer = ({ option, code }: NonNullable<Question['confirm']>): string =>
  `${option} ${code}`

const needsCode = (option: string): string =>
  `The question does not show every file that "${option}" applies to. Read the full review with ` +
  `"loopctl diff --review <run>", then answer with the code at its end: ${option} <code>`
