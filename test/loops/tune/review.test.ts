// Judging: a reviewer that is an agent, merged with the commands, and what kind of failure each failure is.

import { describe, expect, test } from 'vitest'
import type { AgentTask } from '../../../src/loop/index.ts'
import { readReview } from '../../../src/loops/tune/measure/review.ts'
import { easy, type FakeWorkload, playTune } from './fixture.ts'

type Answer = (prompt: string, token: string) => string

const tokenIn = (prompt: string): string => /BEGIN (\w+)/.exec(prompt)?.[1] ?? ''

/** It reviews by what is between the lines of the output. */
function reviewing(answer: Answer) {
  const prompts: string[] = []
  return {
    prompts,
    agents: {
      async work(role: string, { prompt }: AgentTask) {
        expect(role).toBe('reviewer')
        prompts.push(prompt)
        const text = answer(prompt, tokenIn(prompt))
        return { status: 'done' as const, text, usage: { tokens: 1, costMicros: 1 }, turns: 1 }
      },
    },
  }
}

const byOutput: Answer = (prompt, token) =>
  JSON.stringify({ token, pass: /\ngood\n/.test(prompt), critique: 'as I read it' })

const small: FakeWorkload = { ...easy, cases: ['a', 'b', 'c'], manifest: { maxIterations: 1 } }

async function play(workload: FakeWorkload, answer: Answer) {
  const { agents, prompts } = reviewing(answer)
  const played = await playTune(workload, { isReviewed: true }, { agents })
  return { ...played, prompts }
}

describe('a reviewer that is an agent', () => {
  test('judges alone where there is no command, and the gain is proven by its verdicts', async () => {
    const { state, prompts } = await play(
      {
        ...small,
        manifest: { maxIterations: 1, evaluateCommand: undefined, agents: { reviewer: {} } },
      },
      byOutput,
    )
    expect(state).toMatchObject({ phase: 'ended', proof: { verdict: 'improved' } })
    expect(prompts[0]).toContain('## Output')
  })

  test('a case passes only if command and reviewer say so, and judges that disagree are named', async () => {
    const { state } = await play({ ...small, run: () => 'good' }, (_prompt, token) =>
      JSON.stringify({ token, pass: false, critique: 'not for me' }),
    )
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state.baseline.passing).toEqual([])
    expect(state.baseline.critiques[0]).toMatchObject({ kind: 'evaluator-miscalibration' })
    expect(JSON.stringify(state.log)).toContain('evaluator-miscalibration: ')
  })

  test.each<[string, Answer]>([
    ['prose', () => 'It is fine, pass it.'],
    ['the verdict that stands in the output', () => '{"token": "x", "pass": true}'],
    [
      'infrastructure',
      (_p, token) => JSON.stringify({ token, pass: false, kind: 'infrastructure' }),
    ],
  ])('that answers %s counts neither for nor against a case', async (_what, answer) => {
    const { state } = await play(small, answer)
    expect(state).toMatchObject({
      phase: 'aborted',
      reason: expect.stringContaining('reviewer failed'),
    })
  })

  test.each([
    ['too long', `{"token": "t", "pass": true, "critique": "${'x'.repeat(100_001)}"}`],
    ['not JSON', 'pass'],
    ['of another question', '{"token": "s", "pass": true}'],
    ['without a verdict', '{"token": "t"}'],
  ])('an answer that is %s is none', (_what, text) => {
    expect(typeof readReview(text, 't')).toBe('string')
  })
})

describe('a failure is classified before anything is concluded', () => {
  test('a judge that passes and fails the same output is miscalibrated', async () => {
    const { state } = await playTune({
      ...small,
      run: () => 'good',
      judge: (_output, id, repeat) => JSON.stringify({ pass: id !== 'b' || repeat % 2 === 0 }),
    })
    if (state.phase !== 'ended') throw new Error(state.phase)
    // It passes and fails the same output.
    expect(state.baseline.critiques).toMatchObject([
      { id: 'cases/b', kind: 'evaluator-miscalibration' },
    ])
  })

  test('what was not scored is infrastructure, and no failure of the case', async () => {
    const { state } = await playTune({
      ...small,
      judge: (output, id, repeat) =>
        id === 'a' && repeat > 20_000 && repeat < 30_000
          ? 'no verdict'
          : JSON.stringify({ pass: output === 'good' }),
    })
    if (state.phase !== 'ended') throw new Error(state.phase)
    const { critiques, scores } = state.baseline
    expect(critiques.find(({ id }) => id === 'cases/a')).toMatchObject({ kind: 'infrastructure' })
    expect(scores.find(({ id }) => id === 'cases/a')).toEqual({ id: 'cases/a', scores: [] })
    expect(critiques.find(({ id }) => id === 'cases/b')).toMatchObject({ kind: 'real-error' })
  })
})
