import { expect, test } from 'vitest'
import type { CalibrationReport } from '../../launch/calibrate/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { renderCalibration } from './calibration-view.ts'

const share = (count: number, n: number): CalibrationReport['together']['falseAccepts'] => ({
  count,
  n,
  value: count / n,
  low: 0.0279,
  high: 0.301,
})

const rates = { falseAccepts: share(2, 20), falseRejects: share(0, 8) }

const report: CalibrationReport = {
  loop: 'fix',
  tree: 'git:0123456789abcdef' as TreeId,
  commit: 'fedcba9876543210',
  seed: 7,
  atMs: 0,
  durationMs: 41_300,
  checks: [
    { check: 'test', kind: 'command', digest: 'a', ...rates },
    { check: 'review', kind: 'judge', digest: 'b', ...rates },
  ],
  together: { ...rates, falseAccepts: share(1, 20) },
  survivors: [{ source: 'planted', file: 'a.js', line: 3, description: 'a < b → a\u001b[2J <= b' }],
  turnedAway: [{ what: 'the tree as it is', checks: ['review'] }],
  planted: 19,
  revertedFixes: 1,
  good: 8,
  stopped: 'time',
  costMicros: 20_000,
}

test('each check has one line, and so does the total; quoted text cannot move the cursor', () => {
  const text = renderCalibration(report)
  expect(text).not.toContain('\u001b')
  expect(text.split('\n').slice(0, 12)).toEqual([
    'fix at fedcba98: 19 planted defects and 1 reverted fix, 8 correct changes, in 41.3 s, $0.02, seed 7',
    'The time limit was reached first. Raise it with --time.',
    '',
    'CHECK   KIND     FALSE ACCEPTS, AT MOST    FALSE REJECTS',
    'test    command  10 % (3 to 30 %, n = 20)  0 % (3 to 30 %, n = 8)',
    'review  judge    10 % (3 to 30 %, n = 20)  0 % (3 to 30 %, n = 8)',
    'all              5 % (3 to 30 %, n = 20)   0 % (3 to 30 %, n = 8)',
    '',
    'Missed by every check:',
    expect.stringContaining('  a.js:3  a < b → a'),
    '',
    'Correct changes that were rejected:',
  ])
})
