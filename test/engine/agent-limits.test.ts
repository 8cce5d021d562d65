// Limits of one agent, by role: calls, tokens, input and output tokens, cost.

import { describe, expect, test } from 'vitest'
import type { Agents, Check } from '../../src/engine/index.ts'
import { type AgentLimits, type Amount, add, outputTokensOf, zero } from '../../src/loop/index.ts'
import { createWorld, deferred, loopOf, moments, worldAfter } from './fixture.ts'

const amount = (tokens: number, outputTokens = 0, costMicros = 0): Amount => ({
  tokens,
  costMicros,
  outputTokens,
})

const report = (usage: Amount) => ({ status: 'done', text: '', usage, turns: 1 }) as const

/** Each call costs the same; the worst case is twice that. */
const spending = (one: Amount): Agents => ({
  async work(_role, _task, { reserve }) {
    await (await reserve(add(one, one))).settle(one)
    return report(one)
  },
})

const pair = (others = {}) =>
  loopOf<number>(
    async (_context, it) => {
      await it.agent('maker', { prompt: `make ${it.number}` })
      await it.agent('checker', { prompt: `check ${it.number}` })
      return it.number
    },
    { until: [], ...others },
  )

describe('a limit of an agent', () => {
  test.each<[string, AgentLimits, number]>([
    ['calls', { calls: 3 }, 3],
    // The worst case of 20 must fit on top of 10 for each call before.
    ['tokens', { tokens: 50 }, 4],
    ['input-tokens', { inputTokens: 50 }, 7],
    ['output-tokens', { outputTokens: 12 }, 2],
    ['cost', { costMicros: 40 }, 7],
  ])('ends the run as exhausted: %s', async (limit, own, calls) => {
    const world = createWorld({ agents: spending(amount(10, 4, 5)) })
    const loop = pair()
    const run = await world.start(loop, { limits: { agents: { checker: own } } })
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'exhausted', limit, condition: `limits.agents.checker.${limit}` },
    })
    const { callsByRole, spentByRole } = await world.state(run)
    // The call that does not fit is made, and refused when it reserves; a call beyond the number is not.
    expect(callsByRole['checker']).toBe(limit === 'calls' ? calls : calls + 1)
    expect(spentByRole['checker']?.tokens).toBe(calls * 10)
  })

  test('does not stop other agents', async () => {
    const world = createWorld({ agents: spending(amount(10)) })
    const loop = pair({ until: [{ type: 'max-iterations', iterations: 8 }] })
    const run = await world.start(loop, { limits: { agents: { other: { calls: 1 } } } })
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { condition: 'max-iterations' },
    })
  })

  test('of a judge counts what it spends inside its check, and ends the run', async () => {
    const check: Check = async ({ work }) => {
      await work('judge', { prompt: 'good?' })
      return { status: 'not-met', output: '' }
    }
    const world = createWorld({ agents: spending(amount(10, 4)), checks: { good: check } })
    const loop = loopOf<number>(async (_context, it) => it.number, { until: [] })
    const run = await world.start(loop, { limits: { agents: { judge: { tokens: 40 } } } })
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'exhausted', condition: 'limits.agents.judge.tokens' },
    })
    expect((await world.state(run)).spentByRole).toEqual({ judge: amount(30, 12) })
  })

  test('is part of what the agent sees as remaining', async () => {
    const seen: unknown[] = []
    const agents: Agents = {
      async work(role, _task, { remaining }) {
        const { tokens, outputTokens } = remaining()
        seen.push([role, tokens, outputTokens])
        return report(zero)
      },
    }
    const world = createWorld({ agents })
    const loop = pair({ until: [{ type: 'max-iterations', iterations: 1 }] })
    const limits = { tokens: 100, outputTokens: 30, agents: { checker: { tokens: 60 } } }
    await world.finish(await world.start(loop, { limits }), loop)
    expect(seen).toEqual([
      ['maker', 100, 30],
      ['checker', 60, 30],
    ])
  })
})

test('ten agents at once never exceed their own limits, nor that of the run', async () => {
  const roles = Array.from({ length: 10 }, (_, index) => `agent-${index}`)
  const worst = amount(10, 5)
  const all = deferred()
  let working = 0
  const agents: Agents = {
    async work(_role, _task, { reserve }) {
      if (++working === roles.length) all.resolve()
      await all.promise
      // Reserves as much as it can at once, and settles only then.
      const tried = await Promise.allSettled(Array.from({ length: 9 }, () => reserve(worst)))
      const held = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      for (const reservation of held) await reservation.settle(worst)
      return report(zero)
    },
  }
  const world = createWorld({ agents })
  const loop = loopOf<null>(async (_context, it) => {
    const branches = roles.map((role) => [
      role,
      (branch: typeof it) => branch.agent(role, { prompt: role }, { readOnly: true }),
    ])
    await it.parallel(Object.fromEntries(branches))
    return null
  })
  // Each may use three to seven reservations; the run allows 40 of those 50.
  const own = Object.fromEntries(
    roles.map((role, index) => [role, { outputTokens: 5 * (3 + (index % 5)) }]),
  )
  const run = await world.start(loop, { limits: { tokens: 400, agents: own } })
  await world.finish(run, loop)
  const { spent, spentByRole } = await world.state(run)
  expect(spent).toEqual(amount(400, 200))
  expect(Object.values(spentByRole).reduce(add, zero)).toEqual(spent)
  for (const [role, used] of Object.entries(spentByRole)) {
    expect(outputTokensOf(used)).toBeLessThanOrEqual(own[role]?.outputTokens ?? 0)
  }
  for (const { role } of await world.only(run, 'budget-reserved')) expect(roles).toContain(role)
})

test('whenever its process is killed, each agent is charged at least what it really spent', async () => {
  const limits = { agents: { checker: { calls: 3 }, maker: { tokens: 200 } } }
  const loop = pair()
  const first = createWorld({ agents: spending(amount(10, 4)) })
  const run = await first.start(loop, { limits })
  const end = await first.finish(run, loop)
  const before = await first.state(run)
  const events = await first.events(run)
  for (const kept of moments(events.slice(0, -1))) {
    const world = await worldAfter(events, kept, { agents: spending(amount(10, 4)) })
    expect(await world.finish(run, loop)).toEqual(end)
    const { spent, spentByRole, callsByRole } = await world.state(run)
    expect(Object.values(spentByRole).reduce(add, zero)).toEqual(spent)
    expect(callsByRole).toEqual(before.callsByRole)
    for (const [role, used] of Object.entries(before.spentByRole)) {
      expect(spentByRole[role]?.tokens).toBeGreaterThanOrEqual(used.tokens)
    }
  }
})
