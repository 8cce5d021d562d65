// Rounds in memory, with a scripted maker and checker: how each of them ends.

import { describe, expect, test } from 'vitest'
import { allowListGate, approvalOnly } from '../../../src/authority/index.ts'
import type { Risk, ToolDescription } from '../../../src/loop/index.ts'
import {
  renderRoundReport,
  shouldDeliver,
} from '../../../src/protocol/round/render-round-report.ts'
import { createTestMemory, fixSum, playRound, verdict } from './round-fixture.ts'

const tool = (name: string, risk: Risk): ToolDescription => ({
  name,
  risk,
  description: 'a tool for tests',
  parameters: { type: 'object' },
})

const tools = [
  tool('read', 'read-only'),
  tool('write', 'destructive'),
  tool('web', 'network'),
  tool('format', 'idempotent'),
]

const commits = allowListGate({ allow: ['commit'] })

describe('the six stories of the origin:', () => {
  test('a round that only reports offers no tool that changes something', async () => {
    const { report, offered, prompts, performed, state } = await playRound({ level: 1, tools })
    expect(report.outcome).toEqual({ type: 'reported' })
    expect(offered.get('maker')).toEqual(['read', 'web'])
    expect(offered.get('checker')).toEqual(['read', 'web'])
    expect(prompts.map(({ role }) => role)).toEqual(['maker', 'checker'])
    expect(prompts[0]?.task.prompt).toContain('READ-ONLY')
    expect(performed).toEqual([])
    expect(state.outcome).toEqual({ type: 'completed', condition: 'reported' })
  })

  test('an allowed and verified round at level 3 proceeds, and stays quiet', async () => {
    const { report, state } = await playRound({
      level: 3,
      maker: fixSum,
      gate: commits,
      makerUsage: { tokens: 15, outputTokens: 5, costMicros: 1 },
      checkerUsage: { tokens: 10, outputTokens: 3, costMicros: 1 },
      perform: async ({ kind }) =>
        (await approvalOnly.perform({ kind, summary: '' }, 'k', {} as never)).summary,
    })
    expect(report.outcome).toEqual({ type: 'proceeded' })
    expect(report.decision).toEqual({ type: 'auto-proceed', rule: 'allow-list' })
    expect(report.action?.kind).toBe('commit')
    expect(report.action?.summary).toContain('no external action executor configured')
    expect(shouldDeliver(report)).toBe(false)
    expect([report.inputTokens, report.outputTokens]).toEqual([17, 8])
    expect(report.verified.type).toBe('certified')
    expect(state.outcome).toEqual({ type: 'completed', condition: 'proceeded' })
  })

  test('an executor of the user performs the action, and its receipt is in the report', async () => {
    const { report, performed } = await playRound({ level: 3, maker: fixSum, gate: commits })
    expect(performed.map(({ kind }) => kind)).toEqual(['commit'])
    expect(report.action).toEqual({ kind: 'commit', summary: 'created commit abc123' })
    expect(renderRoundReport(report)).toContain('action: commit')
  })

  test('an executor that fails makes the round fail', async () => {
    const { report, state } = await playRound({
      level: 3,
      maker: fixSum,
      gate: commits,
      perform: () => Promise.reject(new Error('boom')),
    })
    expect(report.outcome).toEqual({ type: 'failed', error: 'action executor failed: boom' })
    expect(report.action).toBeUndefined()
    expect(report.decision).toBeUndefined()
    expect(shouldDeliver(report)).toBe(true)
    expect(state.outcome).toMatchObject({ type: 'failed', fault: { code: 'round-failed' } })
  })

  test('a maker that exceeds the budget leaves no work for the checker', async () => {
    const { report, prompts, state } = await playRound({
      makerUsage: { tokens: 7, outputTokens: 3, costMicros: 0 },
      limits: { tokens: 5 },
    })
    expect(report.outcome).toEqual({ type: 'budget-exhausted', limit: 'total-tokens' })
    expect(report.maker).toBeDefined()
    expect(report.checker).toBeUndefined()
    expect(prompts).toHaveLength(1)
    expect(state.outcome).toMatchObject({ type: 'exhausted', limit: 'tokens' })
  })

  test('what earlier rounds left is recalled, and the round is remembered', async () => {
    const memory = createTestMemory(['prior loop state'])
    const { report, prompts } = await playRound({ level: 1, memory })
    expect(report.outcome).toEqual({ type: 'reported' })
    expect(prompts[0]?.task.prompt).toContain('State from previous rounds:\n- prior loop state')
    expect(report.recalled).toEqual(['fact-0'])
    const [recorded] = memory.recorded
    expect(memory.recorded).toHaveLength(1)
    expect(recorded?.text).toMatch(/^reported — /)
    expect(recorded?.source).toBe('loop:test-loop')
    expect(recorded?.tags).toEqual(['test-loop', 'loop-state'])
  })
})

describe('a checker', () => {
  test.each([
    ['fail', 'fail'],
    ['unclear', 'unclear'],
  ])('that says %s leaves the work unverified, and a person decides', async (word) => {
    const { report, performed, state } = await playRound({
      level: 3,
      maker: fixSum,
      gate: commits,
      checker: ({ token }) => verdict(token, word, 'It is wrong.'),
    })
    expect(report.outcome).toMatchObject({ type: 'escalated' })
    expect(report.verified).toEqual({
      type: 'unverified',
      reason: 'checker did not verify the work',
    })
    expect(performed).toEqual([])
    expect(state.outcome).toMatchObject({ type: 'stuck', condition: 'escalated' })
  })
})
