import { expect, test } from 'vitest'
import { completionDefaults, readCompletionHint } from './completion-hint.ts'

const token = '<promise>COMPLETE</promise>'

test.each<[string, string, string]>([
  [token, 'complete', 'complete'],
  [`All done.\n${token}\n`, 'complete', 'malformed'],
  [`All done. ${token}`, 'malformed', 'malformed'],
  [`${token}\nAnd more.`, 'malformed', 'malformed'],
  ['<promise> complete </promise>', 'malformed', 'malformed'],
  ['<promise>COMPLETE', 'malformed', 'malformed'],
  ['I promise that it is complete.', 'none', 'none'],
  ['', 'none', 'none'],
])('%j is %s as the last line, and %s as the whole answer', (text, trailing, exact) => {
  expect(readCompletionHint(text, completionDefaults)).toBe(trailing)
  expect(readCompletionHint(text, { token, mode: 'exact' })).toBe(exact)
})
