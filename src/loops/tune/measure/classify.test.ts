import { expect, test } from 'vitest'
import { classifyFailure, type Failure, findContradictions } from './classify.ts'

const failure = (more: Partial<Failure> = {}): Failure => ({
  isOfWorkload: false,
  verdicts: [{ pass: false, score: 0 }],
  ...more,
})

test.each<[string, Failure, string]>([
  ['a judge that fails a wrong output', failure({ isExpected: false }), 'real-error'],
  ['a workload that failed', failure({ isOfWorkload: true, isExpected: true }), 'real-error'],
  [
    'a judge that fails what was expected',
    failure({ isExpected: true }),
    'evaluator-false-positive',
  ],
  [
    'a full score that does not pass',
    failure({ verdicts: [{ pass: false, score: 1 }] }),
    'evaluator-miscalibration',
  ],
  [
    'judges that do not agree',
    failure({
      verdicts: [
        { pass: false, score: 0 },
        { pass: true, score: 1 },
      ],
    }),
    'evaluator-miscalibration',
  ],
  [
    'what a reviewer says',
    failure({ reviewed: 'evaluator-false-positive' }),
    'evaluator-false-positive',
  ],
  [
    'a reviewer who says so against what was expected',
    failure({ isExpected: true, reviewed: 'real-error' }),
    'evaluator-false-positive',
  ],
])('%s', (_what, given, kind) => {
  expect(classifyFailure(given)).toBe(kind)
})

test('a judge that passes and fails the same output contradicts itself', () => {
  const runs = [
    { id: 'a', digest: '1', pass: true },
    { id: 'a', digest: '1', pass: false },
    { id: 'b', digest: '2', pass: true },
    { id: 'b', digest: '3', pass: false },
    { id: 'c', pass: true },
    { id: 'c', pass: false },
  ]
  expect([...findContradictions(runs)]).toEqual(['a'])
})
