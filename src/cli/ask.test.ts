import { userInfo } from 'node:os'
import { describe, expect, test } from 'vitest'
import { howToAnswer } from './ask.ts'
import { who } from './session.ts'

describe('the commands that answer a question', () => {
  const asked = { id: '1/ask:tone#1', deadlineAtMs: Date.UTC(2026, 0, 1) }

  test('are printed as you type them, one line per answer', () => {
    const options = ['yes', "it's fine"]
    const [first, second, last] = howToAnswer('brave otter', {
      ...asked,
      question: { text: 'How?', options, default: 'yes' },
    }).split('\n')
    expect(first).toBe("Answer with: loopctl answer 'brave otter' tone yes")
    expect(second?.trim()).toBe("or: loopctl answer 'brave otter' tone 'it'\\''s fine'")
    expect(last).toContain('(default "yes" at ')
  })

  test('leave the text open for a free-form answer', () => {
    const question = { text: 'How?', default: 'kind' }
    expect(howToAnswer('otter', { ...asked, question })).toContain("otter tone '<your answer>'\n")
  })
})

test('the decision is attributed to a person, never to the program', () => {
  expect(who({ USER: 'ada' })).toBe('ada')
  expect(who({ USER: '', LOGNAME: 'grace' })).toBe('grace')
  expect(who({})).toBe(userInfo().username)
})
