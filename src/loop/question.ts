/**
 * The one typed thing a person is asked. It always has options or a free answer, a default that is
 * safe, and a deadline at which the default is taken (E9).
 */

import type { StepId, TreeId } from './ids.ts'
import { parseStepId } from './step-name.ts'

/** A question to a person, with a default that is taken at the deadline. */
export interface Question {
  readonly text: string
  /** What may be answered. Absent: any text. */
  readonly options?: readonly string[]
  /** Taken at the deadline. Must be one of the options. */
  readonly default: string
  /** How long to wait. Default: 24 hours. */
  readonly deadlineMs?: number
  /** What `loopctl diff --review` shows for it. */
  readonly review?: QuestionReview
  /** The text does not show everything: this option is accepted only with the code of the whole review. */
  readonly confirm?: { readonly option: string; readonly code: string }
}

/** What differs between two trees; the files that need an approval first. */
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

/** The name that the loop gave it: `tone` of `1/ask:tone#1`. */
export const questionName = (id: string): string => parseStepId(id as StepId).name

/** Why a question cannot be asked, if it cannot. */
export function questionProblem(question: Question): string | undefined {
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

/** Why an answer is not one, if it is not. */
export function answerProblem(question: Question, answer: string): string | undefined {
  const { confirm } = question
  if (confirm !== undefined && answer.split(' ', 1)[0] === confirm.option) {
    return answer === withCode(confirm) ? undefined : needsCode(confirm.option)
  }
  if (question.options === undefined || question.options.includes(answer)) return undefined
  return `"${answer}" is not an option; choose one of: ${question.options.join(', ')}`
}

/** The answer that is accepted for an option with a code. */
export const withCode = ({ option, code }: NonNullable<Question['confirm']>): string =>
  `${option} ${code}`

const needsCode = (option: string): string =>
  `The question does not show every file that "${option}" is about. Read all of it with ` +
  `"loopctl diff --review <run>", and answer with the code at its end: ${option} <code>`
