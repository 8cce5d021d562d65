import { describe, expect, test } from 'vitest'
import { defaultLimits } from './budget.ts'
import type { RunEvent } from './event.ts'
import type { CheckStatus } from './evidence.ts'
import type { StepId, TreeId } from './ids.ts'
import { evolve, initialState } from './index.ts'
import { type StateSummary, summarizeState } from './run-summary.ts'

const created: RunEvent = {
  type: 'run-created',
  eventVersion: 1,
  loop: 'loop',
  codeDigest: 'd',
  limits: defaultLimits,
}
const started: RunEvent = {
  type: 'run-started',
  owner: 'me',
  fence: 1,
  checks: [
    { check: 'lint', kind: 'command' },
    { check: 'test', kind: 'command' },
  ],
}

const check = (iteration: number, name: string, status: CheckStatus): RunEvent => ({
  type: 'step-finished',
  iteration,
  step: `check:${name}#1` as StepId,
  attempt: 1,
  evidence: { check: name, status, iteration, tree: 't' as TreeId },
  spent: { tokens: 10, costMicros: 5 },
})

const iteration = (number: number, lint: CheckStatus, tests: CheckStatus): readonly RunEvent[] => [
  { type: 'iteration-started', iteration: number },
  check(number, 'lint', lint),
  check(number, 'test', tests),
  { type: 'iteration-ended', iteration: number, ending: { type: 'continue' } },
]

/** Summed up after each event, as a store does. */
function summarize(events: readonly RunEvent[], after?: StateSummary): StateSummary {
  let state = initialState as Parameters<typeof summarizeState>[0]
  let summary = after
  for (const [at, event] of events.entries()) {
    state = evolve(state, { seq: at + 1, atMs: at, event })
    summary = summarizeState(state, summary)
  }
  return summary ?? summarizeState(state)
}

describe('the summary of a state', () => {
  test('counts checks by their last result, and adds a point for each iteration', () => {
    const summary = summarize([
      created,
      started,
      ...iteration(1, 'met', 'not-met'),
      ...iteration(2, 'met', 'met'),
    ])
    expect(summary.checks).toMatchObject({ of: 2, met: 2, notMet: [], worse: [] })
    expect(summary.points).toEqual([
      { iteration: 1, costMicros: 10, tokens: 20, met: 1 },
      { iteration: 2, costMicros: 20, tokens: 40, met: 2 },
    ])
  })

  test('E12: names the checks that an iteration made worse, until the next one ends', () => {
    const worse = [
      created,
      started,
      ...iteration(1, 'met', 'met'),
      ...iteration(2, 'met', 'not-met'),
    ]
    expect(summarize(worse).checks).toMatchObject({ worse: ['test'], notMet: ['test'] })
    const open = [...worse, { type: 'iteration-started', iteration: 3 } as const]
    expect(summarize(open).checks.worse).toEqual(['test'])
    expect(summarize([...worse, ...iteration(3, 'met', 'met')]).checks.worse).toEqual([])
    expect(summarize([...worse, ...iteration(3, 'met', 'not-met')]).checks.worse).toEqual([])
  })

  test('a rewind removes the points after it', () => {
    const events = [created, started, ...iteration(1, 'met', 'met'), ...iteration(2, 'met', 'met')]
    const rewound = summarize([...events, { type: 'run-rewound', toIteration: 1 }])
    expect(rewound.points.map((point) => point.iteration)).toEqual([1])
  })

  test('E9: is bounded, however long the run and its names', () => {
    const name = 'n'.repeat(500)
    const many = Array.from({ length: 200 }, (_, at) => `${name}${at}`)
    const events = Array.from({ length: 50 }, (_, at) => [
      { type: 'iteration-started', iteration: at + 1 } as const,
      ...many.map((one) => check(at + 1, one, 'not-met')),
      { type: 'iteration-ended', iteration: at + 1, ending: { type: 'continue' } } as const,
    ])
    const summary = summarize([created, started, ...events.flat()])
    expect(summary.points).toHaveLength(30)
    expect(JSON.stringify(summary).length).toBeLessThan(6000)
  })
})
