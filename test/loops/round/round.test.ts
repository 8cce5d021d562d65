// Rounds in memory, with a scripted maker and checker: the stories of the origin, the level, and what counts as verified.

import { describe, expect, test } from 'vitest'
import { allowListGate, approvalOnly, callbackGate } from '../../../src/authority/index.ts'
import {
  renderRoundReport,
  shouldDeliver,
} from '../../../src/protocol/round/render-round-report.ts'
import {
  commits,
  createTestMemory,
  fixSum,
  notVerified,
  type Played,
  type Player,
  playRound,
  tools,
  verdict,
} from './round-fixture.ts'

/** The options of each question that a person was asked. */
const questionsOf = async (
  world: Played['world'],
  run: Played['run'],
): Promise<readonly unknown[]> =>
  (await world.only(run, 'step-started')).flatMap(({ question }) =>
    question === undefined ? [] : [question.options],
  )

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

  test('a round at level 3 that only reports is not quiet: its report is all that it does', async () => {
    const { report } = await playRound({
      level: 3,
      settings: { propose: { kind: 'report' } },
      maker: () => ({ status: 'done', text: 'Two issues wait for a release.' }),
      gate: callbackGate(() => ({ type: 'allow' })),
      perform: async () => 'reported',
    })
    expect(report.outcome).toEqual({ type: 'proceeded' })
    expect(shouldDeliver(report)).toBe(true)
    expect(renderRoundReport(report)).toContain('Two issues wait for a release.')
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

  test('a round remembers what its maker found, and not that its checker agreed', async () => {
    const memory = createTestMemory()
    await playRound({
      level: 1,
      memory,
      maker: () => ({ status: 'done', text: 'Two issues wait for a release.' }),
    })
    const [recorded] = memory.recorded
    expect(recorded?.text).toBe('reported — Two issues wait for a release.')
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

describe('the level', () => {
  test('1 asks the gate, and reports its decision without acting', async () => {
    const { report, performed } = await playRound({
      level: 1,
      gate: callbackGate(() => ({ type: 'allow' })),
    })
    expect(report.decision).toEqual({ type: 'auto-proceed', rule: 'callback' })
    expect(report.outcome).toEqual({ type: 'reported' })
    expect(performed).toEqual([])
  })

  test('of the run applies if it is lower than that of the settings', async () => {
    const { report, prompts } = await playRound({ level: 3, settings: { ports: { level: 1 } } })
    expect(report.level).toBe(1)
    expect(prompts[0]?.task.prompt).toContain('Maturity level: L1-report')
  })

  test('2 keeps the work, asks once, and acts when a person allows it', async () => {
    const { report, reports, performed, world, run, state } = await playRound({
      maker: fixSum,
      answer: 'allow',
    })
    expect(reports.map(({ outcome }) => outcome.type)).toEqual(['escalated', 'proceeded'])
    expect(reports[0]?.outcome).toEqual({
      type: 'escalated',
      reason: 'report-only / human review required',
    })
    expect(report.action).toEqual({ kind: 'commit', summary: 'created commit abc123' })
    expect(performed).toHaveLength(1)
    const asked = (await world.only(run, 'step-started')).filter(({ question }) => question)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.question?.evidence?.diff?.files).toBe(1)
    expect(state.outcome).toEqual({ type: 'completed', condition: 'proceeded' })
  })

  test('2 remembers what a person said instead', async () => {
    const memory = createTestMemory()
    const { state } = await playRound({ maker: fixSum, memory, answer: 'refuse' })
    expect(memory.recorded.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^escalated — /),
      'decided — a person did not allow it',
    ])
    expect(state.outcome).toMatchObject({ detail: 'a person did not allow it' })
  })
})

describe('verified', () => {
  test('needs a certificate where files changed, and without one nobody is asked to allow', async () => {
    const { report, performed, world, run, state } = await playRound({
      level: 3,
      maker: fixSum,
      gate: callbackGate(() => ({ type: 'allow' })),
      refusesToCertify: true,
    })
    const reason = 'the work is not certified: The check is flaky.'
    expect(report.verified).toEqual({ type: 'unverified', reason })
    expect(report.outcome).toEqual({ type: 'escalated', reason })
    expect(report.proposed?.kind).toBe('commit')
    expect(await questionsOf(world, run)).toEqual([])
    expect(performed).toEqual([])
    expect(state.outcome).toMatchObject({ type: 'stuck', detail: reason })
  })

  test('is not needed to allow what a checker doubts, but a certificate of the files is', async () => {
    const checker: Player = ({ token }) => verdict(token, 'fail', 'I do not like it.')
    const story = { maker: fixSum, checker, certifiedOnly: true }
    const allowed = await playRound({ ...story, answer: 'allow' })
    expect(await questionsOf(allowed.world, allowed.run)).toEqual([['allow', 'refuse']])
    expect(allowed.reports[0]?.verified.type).toBe('unverified')
    expect(allowed.report.outcome).toEqual({ type: 'proceeded' })
    expect(allowed.state.outcome).toMatchObject({ type: 'completed' })

    const refused = await playRound({ ...story, refusesToCertify: true })
    expect(await questionsOf(refused.world, refused.run)).toEqual([])
    expect(refused.report.outcome).toEqual({
      type: 'escalated',
      reason: `${notVerified}, and the work is not certified: The check is flaky.`,
    })
  })

  test('is the word of the checker where no file changed, and the gate knows it', async () => {
    const { report, state } = await playRound({
      level: 3,
      gate: allowListGate({ allow: ['notify'] }),
      settings: { propose: { kind: 'notify' } },
    })
    expect(report.verified).toEqual({ type: 'checker' })
    expect(report.outcome).toEqual({ type: 'proceeded' })
    expect(state.certificate).toBeUndefined()
  })

  test('a run that acted on files that are not certified does not complete', async () => {
    const { report, state } = await playRound({
      maker: fixSum,
      refusesToCertify: true,
      settings: { propose: { kind: 'notify' } },
      answer: 'allow',
    })
    expect(report.outcome).toEqual({ type: 'proceeded' })
    expect(state.outcome).toMatchObject({ type: 'stuck', condition: 'not-certified' })
  })
})
