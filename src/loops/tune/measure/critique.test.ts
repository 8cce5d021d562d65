import { expect, test } from 'vitest'
import { mergeCritiques, parseCritique } from './critique.ts'

test.each<[string, string, object]>([
  ['a pass', '{"pass": true}', { score: 1, pass: true, text: '' }],
  [
    'a failure with a reason',
    '{"pass": false, "critique": "no total"}',
    { score: 0, pass: false, text: 'no total' },
  ],
  ['a score', '{"score": 0.4}', { score: 0.4, pass: false, text: '' }],
  ['a score that passes', '{"score": 0.9, "pass": true}', { score: 0.9, pass: true, text: '' }],
  [
    'issues',
    '{"score": 1, "issues": ["a", {"message": "b", "severity": "minor", "line": 3}]}',
    { score: 1, pass: true, text: '- a\n- minor: b' },
  ],
  ['JSON on the last line', 'scoring…\n{"pass": true}\n', { score: 1, pass: true, text: '' }],
])('%s is read', (_what, printed, critique) => {
  expect(parseCritique(printed)).toEqual({ type: 'critique', critique })
})

test.each([
  '',
  'ok',
  '[]',
  '{}',
  '{"score": 2}',
  '{"score": "1"}',
  '{"pass": 1}',
  '{"issues": []}',
  '{"pass": true',
])('anything else is not a verdict: %s', (printed) =>
  expect(parseCritique(printed).type).toBe('unreadable'),
)

test('control characters of a judge are removed', () => {
  const parsed = parseCritique(JSON.stringify({ pass: false, critique: 'a\u001b[31mb' }))
  expect(JSON.stringify(parsed)).not.toContain('u001b')
})

test('a case passes if all of its judges say so', () => {
  const pass = { score: 1, pass: true, text: 'fine' }
  expect(mergeCritiques([pass, { score: 0.5, pass: false, text: 'no' }])).toEqual({
    score: 0.5,
    pass: false,
    text: 'fine\nno',
  })
})
