// What model calls cost, and what happens to those that fail.

import { describe, expect, test } from 'vitest'
import { resolveModel } from '../../src/agents/index.ts'
import { modelAgent } from '../../src/agents/model-agent.ts'
import { isAmount } from '../../src/loop/index.ts'
import { createAgentContext } from '../../src/testing/agent-context.ts'
import {
  add,
  anthropic,
  createModelWorker,
  done,
  faultOf,
  ids,
  local,
  openai,
} from './model-fixture.ts'

describe('budget (E4)', () => {
  test('reserves the worst case of a call before it is made', async () => {
    const context = createAgentContext({ tools: { add: () => 'ok' } })
    const seen: number[] = []
    await using agent = await createModelWorker(anthropic, (_request, number) => {
      seen.push(context.reservations.filter(({ spent }) => spent === undefined).length)
      return number === 1 ? add(1) : done
    })
    await agent.work(context)
    expect(seen).toEqual([1, 1])
    for (const { worst, spent } of context.reservations) {
      expect(worst.tokens).toBeGreaterThan(16_384)
      expect(worst.costMicros).toBeGreaterThan(spent?.costMicros ?? Number.NaN)
    }
    expect(context.spent.costMicros).toBe(2 * (100 * 2 + 20 * 10))
  })

  test.each([{ tokens: 3000 }, { costMicros: 20_000 }])(
    'shortens the longest response to the remaining budget: %o',
    async (limits) => {
      await using agent = await createModelWorker(anthropic, [done])
      const context = createAgentContext({ limits })
      await agent.work(context)
      const most = agent.server.requests[0]?.body['max_tokens'] as number
      expect(most).toBeGreaterThan(1000)
      expect(most).toBeLessThan(3000)
    },
  )

  test('makes no call when nothing is left', async () => {
    await using agent = await createModelWorker(anthropic, [done])
    const fault = await faultOf(agent.work(createAgentContext({ limits: { tokens: 300 } })))
    expect(fault).toMatchObject({ code: 'budget', limit: 'tokens' })
    expect(agent.server.requests).toHaveLength(0)
  })

  test.each([
    { input: 1e20, output: 20 },
    { input: -5, output: 1e17 },
  ])('charges the worst case if the provider counts nonsense: %o', async (usage) => {
    await using agent = await createModelWorker(local, [{ ...done, usage }])
    const context = createAgentContext()
    await agent.work(context)
    const [reserved] = context.reservations
    expect(isAmount(context.spent)).toBe(true)
    expect(context.spent.tokens).toBeGreaterThan(100)
    expect(context.spent.tokens).toBeLessThanOrEqual(reserved?.worst.tokens ?? 0)
  })

  test('charges the worst case of a response that broke off, for each retry', async () => {
    await using agent = await createModelWorker(local, [{ does: 'cut' }, { does: 'cut' }, done])
    const context = createAgentContext()
    await agent.work(context)
    const charged = context.reservations.map(({ worst, spent }) => spent?.tokens === worst.tokens)
    expect(charged).toEqual([true, true, false])
  })

  test('counts only tokens if the price is unknown, and says so once', async () => {
    await using agent = await createModelWorker(local, [done])
    const context = createAgentContext()
    await agent.work(context)
    await agent.work(context)
    expect(context.spent).toEqual({ tokens: 240, costMicros: 0, outputTokens: 40 })
    const said = context.notes.filter((note) => note.type === 'said')
    expect(said).toHaveLength(1)
    expect(said[0]?.text).toContain('price of openai-compatible/local is unknown')
  })
})

describe('rate limits', () => {
  test('waits for a short window in place', async () => {
    const limited = { status: 429, headers: { 'retry-after': '20' } }
    await using agent = await createModelWorker(anthropic, [add(1), limited, limited, done])
    const context = createAgentContext({ tools: { add: () => 'ok' } })
    const beganMs = agent.clock.now()
    expect(await agent.work(context)).toMatchObject({ status: 'done', turns: 2 })
    expect(agent.clock.now() - beganMs).toBe(40_000)
    expect(context.calls).toHaveLength(1)
  })

  test('leaves a long window to the engine', async () => {
    await using agent = await createModelWorker(anthropic, [
      { status: 429, headers: { 'retry-after': '3600' } },
    ])
    const fault = await faultOf(agent.work())
    expect(fault).toMatchObject({ code: 'rate-limited', retryAtMs: agent.clock.now() + 3_600_000 })
    expect(agent.server.requests).toHaveLength(1)
  })

  test('does not retry forever', async () => {
    await using agent = await createModelWorker(anthropic, [
      { status: 429, headers: { 'retry-after': '0' } },
    ])
    expect(await faultOf(agent.work())).toMatchObject({ code: 'rate-limited', retryable: true })
    expect(agent.server.requests).toHaveLength(6)
  })

  test('recognizes an empty account', async () => {
    await using agent = await createModelWorker(openai, [
      { status: 429, code: 'insufficient_quota' },
    ])
    expect(await faultOf(agent.work())).toMatchObject({ code: 'provider-denied', fatal: true })
  })
})

describe('failures', () => {
  test('gives up on a provider that keeps failing; the next iteration may retry', async () => {
    await using agent = await createModelWorker(anthropic, [{ status: 529, message: 'Overloaded' }])
    const fault = await faultOf(agent.work())
    expect(fault).toMatchObject({ code: 'provider-failed', retryable: false })
    expect(fault.message).toContain('Overloaded (HTTP 529)')
    expect(agent.server.requests).toHaveLength(5)
  })

  test('is not blocked by a provider that never responds', async () => {
    const options = { callTimeoutMs: 100 }
    await using agent = await createModelWorker(anthropic, [{ does: 'hang' }, done], options)
    expect(await agent.work()).toMatchObject({ status: 'done' })
  })

  test('is not drowned by a provider that never stops', async () => {
    await using agent = await createModelWorker(anthropic, [{ does: 'flood' }, done])
    expect(await agent.work()).toMatchObject({ status: 'done' })
  })

  test('does not follow a redirect with its key', async () => {
    await using agent = await createModelWorker(anthropic, [{ does: 'redirect' }, done])
    expect(await agent.work()).toMatchObject({ status: 'done' })
    expect(agent.server.requests).toHaveLength(2)
  })

  test('names a model that does not exist', async () => {
    await using agent = await createModelWorker(anthropic, [
      { status: 404, message: 'model: nope' },
    ])
    expect(await faultOf(agent.work())).toMatchObject({ code: 'unknown-model', fatal: true })
  })

  test('an invalid address is not retried, costs nothing, and is named', async () => {
    const { model, ...rest } = await resolveModel('local/qwen', {
      baseUrl: 'http://127.0.0.1:9/v1',
    })
    const context = createAgentContext()
    const fault = await faultOf(modelAgent({ model, ...rest }).work({ prompt: 'x' }, context))
    expect(fault).toMatchObject({ code: 'no-provider', fatal: true })
    expect(fault.message).toContain('baseUrl')
    expect(context.spent).toEqual({ tokens: 0, costMicros: 0 })
    expect(JSON.stringify(context.notes)).not.toContain('asked again')
  })

  test('an unreachable server is a fault of this iteration, and costs nothing', async () => {
    await using agent = await createModelWorker(anthropic, [done])
    await agent.server.close()
    const context = createAgentContext()
    expect(await faultOf(agent.work(context))).toMatchObject({ code: 'provider-failed' })
    expect(context.spent).toEqual({ tokens: 0, costMicros: 0 })
  })
})

describe('model output is data', () => {
  test('invalid JSON arguments and unknown tools get an error result', async () => {
    await using agent = await createModelWorker(local, [
      { calls: [{ name: 'add', rawArgs: '{"a": 1' }] },
      {
        calls: [
          { name: 'add', rawArgs: '[1]' },
          { name: 'rm', args: {} },
        ],
      },
      { calls: [{ name: 'add', rawArgs: `${'['.repeat(5000)}${']'.repeat(5000)}` }] },
      done,
    ])
    const context = createAgentContext({ tools: { add: () => 'ok' } })
    expect(await agent.work(context)).toMatchObject({ status: 'done', turns: 4 })
    expect(context.calls.map(({ name }) => name)).toEqual(['rm'])
    expect(agent.bodies()[1]).toContain('not valid JSON')
    expect(agent.bodies()[2]).toContain('must be a JSON object')
    expect(agent.bodies()[2]).toContain('No tool rm')
  })
})

test('OpenAI is told to store nothing, and that not every argument is required', async () => {
  for (const id of ids) {
    await using agent = await createModelWorker(id, [done])
    await agent.work(createAgentContext({ tools: { add: () => 'ok' } }))
    for (const word of ['"strict":false', '"store":false']) {
      expect(agent.bodies()[0]?.includes(word)).toBe(id.startsWith('openai/'))
    }
  }
})
