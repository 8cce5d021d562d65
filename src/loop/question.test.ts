import { describe, expect, test } from 'vitest'
import { findAnswerProblem, findQuestionProblem, type Question } from './question.ts'

const question: Question = { text: 'Deploy?', options: ['yes', 'no'], default: 'no' }

describe('a question', () => {
  test.each<[string, Question]>([
    ['with options', question],
    ['with a free answer', { text: 'Which name?', default: '' }],
    ['with a deadline', { ...question, deadlineMs: 1000 }],
    ['with a deadline that is now', { ...question, deadlineMs: 0 }],
  ])('%s can be asked', (_name, asked) => {
    expect(findQuestionProblem(asked)).toBeUndefined()
  })

  test.each<[string, Partial<Question>, string]>([
    ['no text', { text: ' \n' }, 'its text is empty'],
    ['no options in its list', { options: [] }, 'its list of options is empty'],
    ['a default that is not an option', { default: 'maybe' }, '"maybe" is not among its options'],
    ['a deadline that is not a number', { deadlineMs: Number.NaN }, 'deadline'],
    ['a deadline that never comes', { deadlineMs: Number.POSITIVE_INFINITY }, 'deadline'],
    ['a code for no option', { confirm: { option: 'maybe', code: 'x' } }, '"maybe"'],
    ['a deadline in the past', { deadlineMs: -1 }, 'deadline'],
  ])('E9: with %s cannot be asked', (_name, part, problem) => {
    expect(findQuestionProblem({ ...question, ...part })).toContain(problem)
  })
})

describe('an answer', () => {
  test('is one of the options', () => {
    expect(findAnswerProblem(question, 'yes')).toBeUndefined()
    expect(findAnswerProblem(question, 'YES')).toBe(
      '"YES" is not an option; choose one of: yes, no',
    )
  })

  test('needs the code of the review if the question does not show everything', () => {
    const long: Question = { ...question, confirm: { option: 'yes', code: '1a2b3c4d' } }
    expect(findQuestionProblem(long)).toBeUndefined()
    expect(findAnswerProblem(long, 'yes')).toContain('loopctl diff --review')
    expect(findAnswerProblem(long, 'yes 00000000')).toContain('loopctl diff --review')
    expect(findAnswerProblem(long, 'yes 1a2b3c4d')).toBeUndefined()
    expect(findAnswerProblem(long, 'no')).toBeUndefined()
    expect(findAnswerProblem(question, 'yes 1a2b3c4d')).toContain('not an option')
  })

  test('is any text if there are no options', () => {
    expect(findAnswerProblem({ text: 'Which name?', default: '' }, 'anything')).toBeUndefined()
  })
})
