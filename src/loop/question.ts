/**
 * The one typed thing a person is asked. It always has options or a free answer, a default that is
 * safe, and a deadline at which the default is taken (E9).
 */

export interface Question {
  readonly text: string
  /** What may be answered. Absent: any text. */
  readonly options?: readonly string[]
  /** Taken at the deadline. Must be one of the options. */
  readonly default: string
  /** How long to wait; 24 hours unless told. */
  readonly deadlineMs?: number
}

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
export const questionName = (id: string): string =>
  id.slice(id.lastIndexOf('/') + 1).replaceAll(/^ask:|#\d+$/g, '')

/** Why a question cannot be asked, if it cannot. */
export function questionProblem(question: Question): string | undefined {
  const texts: readonly unknown[] = [question.text, question.default, ...(question.options ?? [])]
  if (texts.some((text) => typeof text !== 'string')) return 'its texts are not all strings'
  if (question.text.trim() === '') return 'its text is empty'
  if (question.options?.length === 0) return 'its list of options is empty'
  if (question.options !== undefined && !question.options.includes(question.default)) {
    return `its default "${question.default}" is not among its options`
  }
  const { deadlineMs } = question
  if (deadlineMs !== undefined && !(Number.isFinite(deadlineMs) && deadlineMs >= 0)) {
    return 'its deadline is not a number of milliseconds'
  }
  return undefined
}

/** Why an answer is not one, if it is not. */
export function answerProblem(question: Question, answer: string): string | undefined {
  if (question.options === undefined || question.options.includes(answer)) return undefined
  return `"${answer}" is not an option; choose one of: ${question.options.join(', ')}`
}
