// Rounds within their limits: budget, memory, comments, and proposals that wait for a person.

import { describe, expect, test } from 'vitest'
import { allowListGate } from '../../../src/authority/index.ts'
import { type Limits } from '../../../src/loop/index.ts'
import type { OpenProposal } from '../../../src/loops/loop-ports.ts'
import { commentNumbers } from '../../../src/loops/round/proposal.ts'
import { fixSum, playRound } from './round-fixture.ts'

describe('the budget', () => {
  const used = { tokens: 10, outputTokens: 4, costMicros: 100 }
  test.each<[Partial<Limits>, string | undefined]>([
    [{ tokens: 20, inputTokens: 12, outputTokens: 8 }, undefined],
    [{ inputTokens: 11 }, 'input-tokens'],
    [{ inputTokens: 11, outputTokens: 7, tokens: 19 }, 'input-tokens'],
    [{ outputTokens: 7, tokens: 19 }, 'output-tokens'],
    [{ tokens: 19 }, 'total-tokens'],
    [{ costMicros: 199 }, 'cost'],
  ])('%j after the checker: %s', async (limits, limit) => {
    const { report, performed } = await playRound({
      level: 1,
      limits,
      makerUsage: used,
      checkerUsage: used,
    })
    const outcome = limit === undefined ? { type: 'reported' } : { type: 'budget-exhausted', limit }
    expect(report.outcome).toEqual(outcome)
    expect(performed).toEqual([])
    expect(report.checker?.verdict).toBe('pass')
  })

  test('holds inside an agent: a call that does not fit is not made', async () => {
    const { report, state } = await playRound({
      limits: { tokens: 100 },
      async maker({ context }) {
        await (await context.reserve({ tokens: 60, costMicros: 0 })).settle({
          tokens: 60,
          costMicros: 0,
        })
        await context.reserve({ tokens: 60, costMicros: 0 })
        return 'never'
      },
    })
    expect(report.outcome).toEqual({ type: 'budget-exhausted', limit: 'total-tokens' })
    expect(report.inputTokens).toBe(60)
    expect(state.outcome).toMatchObject({ type: 'exhausted', limit: 'tokens' })
  })
})

describe('a memory that fails', () => {
  const broken = {
    recall: () => Promise.reject(new Error('disk full')),
    record: () => Promise.reject(new Error('disk full')),
  }
  test('only warns', async () => {
    const { report, prompts } = await playRound({ level: 1, memory: broken })
    expect(report.outcome).toEqual({ type: 'reported' })
    expect(report.warnings).toEqual([
      'The memory of the loop could not be recalled: disk full',
      'The memory of the loop could not be stored: disk full',
    ])
    expect(prompts[0]?.task.prompt).not.toContain('State from previous rounds')
  })
})

describe('a comment', () => {
  const settings = {
    propose: { kind: 'comment', details: { remote: 'origin' } },
    gather: [{ type: 'issues', state: 'open', limit: 30, remote: 'origin' }],
    ports: {
      gather: async () => [
        {
          name: 'issues',
          status: 'read',
          text: '#12 It fails',
          digest: 'a',
          numbers: [12],
        } as const,
      ],
    },
  } as const
  const idIn = (prompt: string): string => /"id": "([0-9a-f]{32})"/.exec(prompt)?.[1] ?? ''
  const write = (comment: object): string =>
    `I looked.\n\`\`\`json\n${JSON.stringify({ comment })}\n\`\`\``
  const say =
    (on: number, text = 'Which version?'): ((prompt: string) => string) =>
    (prompt) =>
      write({ id: idIn(prompt), on, text })
  const gate = allowListGate({ allow: ['comment'] })

  test('is what the maker wrote, about an issue that was gathered', async () => {
    const { performed } = await playRound({
      level: 3,
      gate,
      settings,
      maker: ({ prompt }) => say(12)(prompt),
    })
    expect(performed.map(({ details }) => details)).toEqual([
      { remote: 'origin', on: 12, text: 'Which version?' },
    ])
  })

  test.each([
    ['about another issue', say(13)],
    ['without a text', say(12, ' ')],
    ['twice', (prompt: string) => `${say(12)(prompt)}\n${say(12)(prompt)}`],
    ['as prose', () => 'Comment on #12: hello'],
    [
      'quoted from what others wrote',
      () => write({ id: '0'.repeat(32), on: 12, text: 'Hostile.' }),
    ],
    ['without an id', () => write({ on: 12, text: 'Hostile.' })],
  ])('%s is none, and the round is quiet', async (_how, said) => {
    const { report, performed } = await playRound({
      level: 3,
      gate,
      settings,
      maker: ({ prompt }) => said(prompt),
    })
    expect(performed).toEqual([])
    expect(report.proposed).toBeUndefined()
    expect(report.outcome).toEqual({ type: 'proceeded' })
  })
})

test('a comment goes only to the repository that its issue was gathered from', () => {
  const settings = {
    propose: { kind: 'comment', details: { remote: 'origin' } },
    gather: [
      { type: 'issues', state: 'open', limit: 30, remote: 'upstream' },
      { type: 'pull-requests', state: 'open', limit: 30, remote: 'origin' },
    ],
  } as const
  const one = { status: 'read', text: '', digest: '' } as const
  const gathered = [
    { ...one, name: 'issues', numbers: [1, 2] },
    { ...one, name: 'pull-requests', numbers: [2, 3] },
  ]
  expect([...commentNumbers(settings, gathered)]).toEqual([2, 3])
})

describe('open proposals of earlier rounds', () => {
  const open = (about: string, run = 'earlier'): OpenProposal => ({
    run,
    question: `1/ask:allow ${about}#1`,
    about,
  })

  function proposals(all: readonly OpenProposal[]) {
    const superseded: string[] = []
    return {
      superseded,
      ports: {
        proposals: {
          list: async () => all,
          supersede: async ({ run }: OpenProposal) => superseded.push(run) > 0,
        },
      },
    }
  }

  test('about the same are replaced before a person is asked', async () => {
    const { superseded, ports } = proposals([open('commit', 'r1'), open('comment on 3', 'r2')])
    await playRound({ maker: fixSum, settings: { ports }, answer: 'refuse' })
    expect(superseded).toEqual(['r1'])
  })

  test('stay if the round has nothing to propose', async () => {
    const { superseded, ports } = proposals([open('commit')])
    const { report } = await playRound({ settings: { ports } })
    expect(report.outcome).toEqual({ type: 'proceeded' })
    expect(superseded).toEqual([])
  })

  test('are capped: the round ends before it spends anything', async () => {
    const { ports } = proposals([1, 2, 3].map((on) => open(`comment on ${on}`, `r${on}`)))
    const propose = { kind: 'comment', details: { remote: 'origin' } }
    const { report, prompts } = await playRound({ settings: { ports, propose } })
    expect(report.outcome).toMatchObject({
      type: 'escalated',
      reason: expect.stringContaining('3 proposals of test-loop wait for a decision (r1, r2, r3)'),
    })
    expect(prompts).toEqual([])
    const capped = await playRound({ level: 1, settings: { ports, propose } })
    expect(capped.report.outcome).toEqual({ type: 'reported' })
  })
})
