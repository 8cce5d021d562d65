import type { Certification, GivenAnswer } from '../../engine/index.ts'
import { defined, type Question } from '../../loop/index.ts'

export interface AnswerOptions {
  /** Asks the user. Absent: the default answer of the question is used. */
  readonly ask?: (question: Question) => Promise<string>
  /** The name of the user, for the certificate. */
  readonly who?: string
}

const questionsMax = 5

/** Asks until certification needs no further answers. */
export async function certifyWithAnswers(
  { ask, who }: AnswerOptions,
  certify: (answers: readonly GivenAnswer[]) => Promise<Certification>,
): Promise<Exclude<Certification, { type: 'asks' }>> {
  const answers: GivenAnswer[] = []
  for (let round = 0; round <= questionsMax; round++) {
    const found = await certify(answers)
    if (found.type !== 'asks') return found
    const { key, question } = found
    const answer = await ask?.(question)
    answers.push(
      answer === undefined
        ? { key, answer: question.default, by: 'default' }
        : { key, answer, by: 'person', ...defined({ who }) },
    )
  }
  const message = `Certification still has questions after ${questionsMax} answers. Try again.`
  return { type: 'refused', refusals: [{ code: 'unclear', message }] }
}
