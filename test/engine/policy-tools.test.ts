// Tool calls and the policy: asked before each call, recorded with the rule.

import { describe, expect, test } from 'vitest'
import type { Tools } from '../../src/engine/index.ts'
import type { PolicyRuling } from '../../src/loop/index.ts'
import { createWorld, loopOf } from './fixture.ts'
import { allow, type FakePolicy, policyOf } from './policy-fixture.ts'

describe('a tool call', () => {
  const called: string[] = []
  const tools: Tools = {
    async call(name) {
      called.push(name)
      return { ok: true, output: 'done' }
    },
    list: async () => [
      { name: 'read', description: '', parameters: {}, risk: 'read-only' },
      { name: 'push', description: '', parameters: {}, risk: 'network' },
    ],
  }
  const noPush = (more: Partial<PolicyRuling> = {}): FakePolicy =>
    policyOf(({ tool }) =>
      tool?.name === 'push'
        ? { decision: 'deny', rules: ['no-push'], reason: 'nothing leaves', ...more }
        : allow,
    )

  async function runCalls(policy: FakePolicy, attended?: boolean) {
    called.length = 0
    const results: unknown[] = []
    const world = createWorld({
      policy,
      tools,
      agents: {
        async work(_role, _task, context) {
          for (const name of ['read', 'push', 'other']) {
            results.push(await context.callTool(name, {}))
          }
          return { status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 1 }
        },
      },
    })
    const loop = loopOf<null>(async (_context, it) => {
      await it.agent('maker', { prompt: '' })
      results.push(await it.tool('push', {}))
      return null
    })
    const run = await world.start(loop)
    const sandbox = { tier: 'strong', reason: '', probes: [], attended } as const
    await world.finish(
      run,
      loop,
      attended === undefined ? {} : { sandbox: JSON.parse(JSON.stringify(sandbox)) },
    )
    return { world, run, results }
  }

  test('that is denied is data for the agent and for the loop, and is not made', async () => {
    const { world, run, results } = await runCalls(noPush())
    const denied = {
      ok: false,
      error: 'denied-by-policy',
      output: 'The policy does not allow this call: nothing leaves.',
    }
    expect(results).toEqual([
      { ok: true, output: 'done' },
      denied,
      { ok: true, output: 'done' },
      denied,
    ])
    expect(called).toEqual(['read', 'other'])
    expect(await world.state(run)).toMatchObject({ status: 'exhausted' })
  })

  test('is recorded with its rule: allowed as part of its note, denied as an event', async () => {
    const { world, run } = await runCalls(noPush())
    const notes = (await world.only(run, 'step-noted')).map(({ note }) => note)
    expect(notes).toMatchObject([
      { tool: 'read', ok: true, policy: ['base'] },
      { tool: 'push', ok: false, error: 'denied-by-policy', policy: ['no-push'] },
      { tool: 'other', ok: true, policy: ['base'] },
      { tool: 'push', ok: false, policy: ['no-push'] },
    ])
    const rulings = (await world.only(run, 'policy-decided')).filter(
      ({ step }) => step !== undefined,
    )
    expect(rulings).toMatchObject([
      { action: 'callToolUnattended', resource: 'push', step: 'agent:maker#1', rules: ['no-push'] },
      { action: 'callToolUnattended', resource: 'push', step: 'tool:push#1', rules: ['no-push'] },
    ])
  })

  test('that only a monitored rule denies is made, and recorded', async () => {
    const { world, run } = await runCalls(noPush({ isMonitored: true }))
    expect(called).toEqual(['read', 'push', 'other', 'push'])
    const rulings = (await world.only(run, 'policy-decided')).filter(
      ({ step }) => step !== undefined,
    )
    expect(rulings).toHaveLength(2)
  })

  test('is asked about with its agent and its risk; an unlisted tool counts as destructive', async () => {
    const policy = noPush()
    await runCalls(policy)
    const asked = policy.asked.filter(({ tool }) => tool !== undefined)
    expect(asked.map(({ action, agent, tool }) => [action, agent, tool?.risk])).toEqual([
      ['callToolUnattended', 'maker', 'read-only'],
      ['callToolUnattended', 'maker', 'network'],
      ['callToolUnattended', 'maker', 'destructive'],
      ['callToolUnattended', undefined, 'network'],
    ])
  })

  test('of an attended run is asked about as such', async () => {
    const policy = noPush()
    await runCalls(policy, true)
    const actions = policy.asked.map(({ action }) => action)
    expect(new Set(actions)).toEqual(new Set(['iterate', 'callTool']))
  })
})
