import { describe, expect, test } from 'vitest'
import type { CertificateId } from '../../loop/index.ts'
import { renderRoundReport, shouldDeliver, totalTokens } from './render-round-report.ts'
import type { RoundOutcome, RoundReport } from './round-report.ts'
import { roundReportSchema } from './round-report-schema.ts'

const report: RoundReport = {
  loop: 'daily-triage',
  intent: 'Keep the repository healthy',
  level: 1,
  run: 'daily-triage-1',
  outcome: { type: 'reported' },
  maker: { status: 'done', iterations: 3, text: '  Nothing to do.\n' },
  checker: { status: 'done', iterations: 2, text: 'ok', verdict: 'pass', reasons: [] },
  decision: { type: 'escalate', reason: 'report-only / human review required' },
  verified: { type: 'checker' },
  inputTokens: 17,
  outputTokens: 8,
  filesChanged: [],
  recalled: [],
  warnings: [],
  startedAtMs: 1000,
  endedAtMs: 2000,
}

/** The lines with the fixed layout. */
const head = (given: RoundReport): string => {
  const [lines = ''] = renderRoundReport(given).split(/(?<= out\n)/)
  return lines
}

describe('the report of a round as text', () => {
  test('has a fixed layout up to the tokens', () => {
    expect(head(report)).toBe(
      [
        '[L1-report] loop `daily-triage` (reported)',
        'intent: Keep the repository healthy',
        'maker: Done in 3 iters',
        'Nothing to do.',
        'checker: Done in 2 iters',
        'tokens: 17 in / 8 out',
        '',
      ].join('\n'),
    )
  })

  test('names the reason of an escalation after the checker', () => {
    const escalated = { ...report, level: 2, outcome: { type: 'escalated', reason: 'no' } } as const
    expect(head(escalated)).toContain(
      'checker: Done in 2 iters\nescalation: no\ntokens: 17 in / 8 out\n',
    )
    expect(head(escalated)).toMatch(/^\[L2-assisted\] loop `daily-triage` \(escalated\)\n/)
  })

  test('names the action that was performed', () => {
    const action = { kind: 'commit', summary: 'created commit abc123' }
    const proceeded = { ...report, level: 3, outcome: { type: 'proceeded' }, action } as const
    expect(head(proceeded)).toContain('action: commit — created commit abc123\ntokens:')
    expect(head(proceeded)).toMatch(/^\[L3-unattended\] loop `daily-triage` \(proceeded\)\n/)
  })

  test('leaves out agents that did not work, and text that they did not report', () => {
    const { maker: _maker, checker: _checker, ...failed } = report
    expect(head({ ...failed, outcome: { type: 'failed', error: 'boom' } })).toBe(
      '[L1-report] loop `daily-triage` (failed)\nintent: Keep the repository healthy\ntokens: 17 in / 8 out\n',
    )
    expect(head({ ...report, maker: { status: 'blocked', iterations: 12 } })).toContain(
      'maker: Blocked in 12 iters\nchecker:',
    )
  })

  test.each<[RoundReport['verified'], string]>([
    [
      { type: 'checker' },
      'verified: by the checker only: no file changed, so there is no certificate',
    ],
    [
      { type: 'certified', certificate: 'a'.repeat(64) as CertificateId },
      `verified: by the checker and by certificate ${'a'.repeat(16)}`,
    ],
    [
      { type: 'unverified', reason: 'checker did not verify the work' },
      'verified: no: checker did not verify the work',
    ],
  ])('says what its verification rests on: %j', (verified, line) => {
    expect(renderRoundReport({ ...report, verified }).split('\n')).toContain(line)
  })
})

test.each<[RoundOutcome, boolean]>([
  [{ type: 'reported' }, true],
  [{ type: 'proceeded' }, false],
  [{ type: 'escalated', reason: 'r' }, true],
  [{ type: 'budget-exhausted', limit: 'total-tokens' }, true],
  [{ type: 'failed', error: 'e' }, true],
])('%j is delivered: %s', (outcome, expected) => {
  expect(shouldDeliver({ outcome })).toBe(expected)
})

test('the total is the sum of input and output', () => {
  expect(totalTokens(report)).toBe(25)
})

test('the schema accepts a report as JSON, and nothing that is not known', () => {
  const parse = (value: object): boolean => roundReportSchema.safeParse(value).success
  expect(parse(JSON.parse(JSON.stringify(report)) as object)).toBe(true)
  expect(parse({ ...report, outcome: { type: 'proceeded', reason: 'why not' } })).toBe(false)
  expect(parse({ ...report, trusted: true })).toBe(false)
})
