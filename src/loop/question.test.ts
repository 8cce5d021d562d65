import { describe, expect, test } from 'vitest'
import { findAnswerProblem, listAnswerKinds, resolveAnswer } from './authority/answer.ts'
import { findQuestionProblem, limitEvidence, type Question } from './question.ts'

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
    [
      'a kind that selects no option',
      { kinds: { accept: 'sure' } },
      '"sure", which accept selects',
    ],
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

describe('an answer by kind', () => {
  const kinds: Question = {
    ...question,
    kinds: {
      accept: 'yes',
      reject: 'no',
      respond: 'no',
      edit: { option: 'yes', value: { to: 'staging', copies: 2, tags: ['a'], note: null } },
    },
  }
  const edited = { to: 'production', copies: 3, tags: [], note: { any: 1 } }

  test('selects the option that the question names for it', () => {
    const resolve = (given: Parameters<typeof resolveAnswer>[1]) => {
      const found = resolveAnswer(kinds, given)
      return found.type === 'resolved' ? found.answer : found.problem
    }
    expect(listAnswerKinds(kinds)).toEqual(['accept', 'edit', 'respond', 'reject'])
    expect(resolve({ kind: 'accept' })).toEqual({ answer: 'yes', kind: 'accept' })
    expect(resolve({ kind: 'reject' })).toEqual({ answer: 'no', kind: 'reject' })
    expect(resolve({ kind: 'respond', answer: ' Later. ' })).toEqual({
      answer: 'no',
      kind: 'respond',
      text: 'Later.',
    })
    expect(resolve({ kind: 'edit', value: edited })).toEqual({
      answer: 'yes',
      kind: 'edit',
      value: edited,
    })
    expect(resolve({ answer: 'yes' })).toEqual({ answer: 'yes' })
  })

  test.each([
    [undefined, 'is not JSON'],
    [{ ...edited, copies: '3' }, 'it.copies is text, not a number'],
    [{ ...edited, tags: [1] }, 'it.tags[0] is a number, not text'],
    [{ ...edited, more: 1 }, 'unknown key "more"'],
    [{ to: 'production' }, 'lacks the key "copies"'],
    ['production', 'it is text, not an object'],
    [{ ...edited, to: 'x'.repeat(100_001) }, 'too long'],
  ])('E11: refuses the edited value %j', (value, problem) => {
    const found = resolveAnswer(kinds, { kind: 'edit', ...(value === undefined ? {} : { value }) })
    expect(found).toMatchObject({ type: 'invalid', problem: expect.stringContaining(problem) })
  })

  test('is refused if the question does not take it', () => {
    expect(resolveAnswer(question, { kind: 'accept' })).toEqual({
      type: 'invalid',
      problem: 'This question does not take accept; it takes one of: yes, no',
    })
    expect(resolveAnswer(kinds, { kind: 'respond', answer: ' ' })).toMatchObject({
      type: 'invalid',
    })
    expect(resolveAnswer(kinds, {})).toMatchObject({ type: 'invalid' })
  })

  test('is refused with an answer that means something else', () => {
    expect(resolveAnswer(kinds, { kind: 'accept', answer: 'no' })).toEqual({
      type: 'invalid',
      problem: 'accept means "yes", but the answer says "no". Send one of them.',
    })
    expect(resolveAnswer(kinds, { kind: 'reject', answer: 'no' })).toMatchObject({
      type: 'resolved',
      answer: { answer: 'no', kind: 'reject' },
    })
  })

  test('is a response if the question has no options', () => {
    const free: Question = { text: 'Which name?', default: '' }
    expect(listAnswerKinds(free)).toEqual(['respond'])
    expect(resolveAnswer(free, { kind: 'respond', answer: 'Ada' })).toEqual({
      type: 'resolved',
      answer: { answer: 'Ada', kind: 'respond' },
    })
  })

  test('needs the code of the review, too', () => {
    const long: Question = { ...kinds, confirm: { option: 'yes', code: '1a2b' } }
    expect(resolveAnswer(long, { kind: 'accept' }).type).toBe('invalid')
    expect(resolveAnswer(long, { kind: 'accept', code: '1a2b' })).toEqual({
      type: 'resolved',
      answer: { answer: 'yes 1a2b', kind: 'accept' },
    })
    expect(resolveAnswer(long, { kind: 'reject' }).type).toBe('resolved')
  })
})

test('E9: evidence is limited', () => {
  const long = 'x'.repeat(10_000)
  const limited = limitEvidence({
    happened: Array.from({ length: 100 }, () => long),
    checks: Array.from({ length: 100 }, () => ({ check: 'test', status: 'not-met', output: long })),
  })
  expect(JSON.stringify(limited).length).toBeLessThan(150_000)
})
