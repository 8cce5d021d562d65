// Models through the real clients of their providers, against a scripted server on loopback.

import { afterEach, describe, expect, test } from 'vitest'
import { type AgentReport, FaultError } from '../loop/index.ts'
import { createAgentContext, type TestAgentContext } from '../testing/agent-context.ts'
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts'
import { type ModelScript, type ModelServer, startModelServer } from '../testing/model-server.ts'
import { type ModelAgentOptions, modelAgent } from './model-agent.ts'
import { resolveModel } from './resolve-model.ts'

const key = 'sk-secret-0123456789'
const env = {
  ANTHROPIC_API_KEY: key,
  OPENAI_API_KEY: key,
  GOOGLE_GENERATIVE_AI_API_KEY: key,
  LOCAL_KEY: key,
}

const ids = [
  'anthropic/claude-sonnet-5',
  'openai/gpt-4o',
  'google/gemini-3.8-flash',
  'openai-compatible/local',
] as const
const [anthropic, , , local] = ids

let server: ModelServer
let clock: ManualClock
afterEach(() => server.close())

interface Worker {
  work(context?: TestAgentContext, prompt?: string): Promise<AgentReport>
}

async function agentFor(
  id: string,
  script: ModelScript,
  options: Partial<ModelAgentOptions> = {},
): Promise<Worker> {
  server = await startModelServer(script)
  clock = createManualClock()
  const apiKeyEnv = id === local ? { apiKeyEnv: 'LOCAL_KEY' } : {}
  const resolved = await resolveModel(id, { baseUrl: server.url, env, ...apiKeyEnv })
  const agent = modelAgent({ ...resolved, clock, ...options })
  return {
    work: (context = createAgentContext(), prompt = 'Add one and one.') =>
      clock.pass(agent.work({ prompt }, context)),
  }
}

async function faultOf(work: Promise<unknown>): Promise<FaultError['fault']> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof FaultError) return error.fault
  throw new Error(`expected a fault, got ${String(error)}`)
}

const bodies = (): readonly string[] => server.requests.map(({ body }) => JSON.stringify(body))
const done = { text: 'Done.' }
const add = (a: number) => ({ calls: [{ name: 'add', args: { a } }] })

describe.each(ids)('%s', (id) => {
  test.each([true, false])('calls a tool and reports, streamed: %s', async (stream) => {
    const agent = await agentFor(
      id,
      [
        { text: 'I add.', ...add(1), usage: { input: 900, output: 30 } },
        { text: 'It is 2.', usage: { input: 1000, output: 10, cacheRead: 500 } },
      ],
      { stream },
    )
    const context = createAgentContext({ tools: { add: () => 'two' } })
    const report = await agent.work(context)
    expect(report).toMatchObject({ status: 'done', text: 'It is 2.', turns: 2 })
    expect(report.usage.tokens).toBe(1940)
    expect(context.spent).toEqual(report.usage)
    expect(context.calls).toEqual([{ name: 'add', args: { a: 1 } }])
    expect(server.requests.map((request) => [request.tools, request.streamed])).toEqual([
      [['add'], stream],
      [['add'], stream],
    ])
    expect(bodies()[1]).toContain('two')
  })

  test('asks again after a failure, a cut connection and an answer that is none', async () => {
    const agent = await agentFor(id, [{ status: 500 }, { does: 'cut' }, { does: 'garbage' }, done])
    const context = createAgentContext()
    expect(await agent.work(context)).toMatchObject({ status: 'done', turns: 1 })
    expect(server.requests).toHaveLength(4)
    expect(context.reservations.every(({ spent }) => spent !== undefined)).toBe(true)
  })

  test('says a refusal and an answer that was cut off', async () => {
    const agent = await agentFor(id, [{ text: 'The first', stop: 'length' }, { text: ' half.' }])
    expect((await agent.work()).text).toBe('The first half.')
    await server.close()
    const refusing = await agentFor(id, [{ text: 'No.', stop: 'refused' }])
    expect(await refusing.work()).toMatchObject({ status: 'failed' })
  })

  test('does not offer its tools in the last turn', async () => {
    const agent = await agentFor(id, [add(1), { text: 'So far.' }], { turnsMax: 2 })
    const report = await agent.work(createAgentContext({ tools: { add: () => 'ok' } }))
    expect(report).toMatchObject({ status: 'done-with-concerns', turns: 2 })
    expect(bodies()[0]).not.toContain('last turn')
    expect(bodies()[1]).toContain('last turn')
    expect(bodies()[1]).toMatch(/"none"|NONE/i)
  })

  test('is told when its key is not accepted, and nobody sees the key', async () => {
    const agent = await agentFor(id, [{ status: 401, message: `bad key ${key}` }])
    const context = createAgentContext()
    const fault = await faultOf(agent.work(context))
    expect(fault).toMatchObject({ code: 'provider-denied', fatal: true })
    expect(fault.message).toMatch(/_API_KEY|LOCAL_KEY/)
    expect(JSON.stringify([fault, context.notes])).not.toContain(key)
    expect(context.spent).toEqual({ tokens: 0, costMicros: 0 })
  })

  test('is stopped at once when the run is, and its call is settled', async () => {
    const agent = await agentFor(id, [{ does: 'hang' }])
    const stop = new AbortController()
    const context = createAgentContext({ signal: stop.signal })
    const working = agent.work(context)
    while (server.requests.length === 0) await clock.settle()
    stop.abort(new Error('cancelled by a person'))
    await expect(working).rejects.toThrow('cancelled by a person')
    expect(context.reservations).toHaveLength(1)
    expect(context.spent.tokens).toBeGreaterThan(0)
  })
})

describe('budget (E4)', () => {
  test('reserves the worst case of a call before it is made', async () => {
    const context = createAgentContext({ tools: { add: () => 'ok' } })
    const seen: number[] = []
    const agent = await agentFor(anthropic, (_request, number) => {
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
    'shortens the longest answer to what is left: %o',
    async (limits) => {
      const agent = await agentFor(anthropic, [done])
      const context = createAgentContext({ limits })
      await agent.work(context)
      const most = server.requests[0]?.body['max_tokens'] as number
      expect(most).toBeGreaterThan(1000)
      expect(most).toBeLessThan(3000)
    },
  )

  test('asks nothing when nothing is left', async () => {
    const agent = await agentFor(anthropic, [done])
    const fault = await faultOf(agent.work(createAgentContext({ limits: { tokens: 300 } })))
    expect(fault).toMatchObject({ code: 'budget', limit: 'tokens' })
    expect(server.requests).toHaveLength(0)
  })

  test('counts only tokens where the price is not known, and says so once', async () => {
    const agent = await agentFor(local, [done])
    const context = createAgentContext()
    await agent.work(context)
    await agent.work(context)
    expect(context.spent).toEqual({ tokens: 240, costMicros: 0 })
    const said = context.notes.filter((note) => note.type === 'said')
    expect(said).toHaveLength(1)
    expect(said[0]?.text).toContain('price of openai-compatible/local is not known')
  })
})

describe('rate limits', () => {
  test('waits a short window out in place', async () => {
    const limited = { status: 429, headers: { 'retry-after': '20' } }
    const agent = await agentFor(anthropic, [add(1), limited, limited, done])
    const context = createAgentContext({ tools: { add: () => 'ok' } })
    const beganMs = clock.now()
    expect(await agent.work(context)).toMatchObject({ status: 'done', turns: 2 })
    expect(clock.now() - beganMs).toBe(40_000)
    expect(context.calls).toHaveLength(1)
  })

  test('leaves a long window to the engine', async () => {
    const agent = await agentFor(anthropic, [{ status: 429, headers: { 'retry-after': '3600' } }])
    const fault = await faultOf(agent.work())
    expect(fault).toMatchObject({ code: 'rate-limited', retryAtMs: clock.now() + 3_600_000 })
    expect(server.requests).toHaveLength(1)
  })

  test('does not ask for ever', async () => {
    const agent = await agentFor(anthropic, [{ status: 429, headers: { 'retry-after': '0' } }])
    expect(await faultOf(agent.work())).toMatchObject({ code: 'rate-limited', retryable: true })
    expect(server.requests).toHaveLength(6)
  })

  test('takes an empty account for what it is', async () => {
    const agent = await agentFor('openai/gpt-4o', [{ status: 429, code: 'insufficient_quota' }])
    expect(await faultOf(agent.work())).toMatchObject({ code: 'provider-denied', fatal: true })
  })
})

describe('failures', () => {
  test('gives up on a provider that keeps failing; the step may be tried again', async () => {
    const agent = await agentFor(anthropic, [{ status: 529, message: 'Overloaded' }])
    const fault = await faultOf(agent.work())
    expect(fault).toMatchObject({ code: 'provider-failed', retryable: true })
    expect(fault.message).toContain('Overloaded (HTTP 529)')
    expect(server.requests).toHaveLength(5)
  })

  test('is not held up by a provider that never answers', async () => {
    const options = { callTimeoutMs: 100 }
    const agent = await agentFor(anthropic, [{ does: 'hang' }, done], options)
    expect(await agent.work()).toMatchObject({ status: 'done' })
  })

  test('names the model that does not exist', async () => {
    const agent = await agentFor(anthropic, [{ status: 404, message: 'model: nope' }])
    expect(await faultOf(agent.work())).toMatchObject({ code: 'unknown-model', fatal: true })
  })

  test('a server that is not there is a retryable fault', async () => {
    const agent = await agentFor(anthropic, [done])
    await server.close()
    const context = createAgentContext()
    expect(await faultOf(agent.work(context))).toMatchObject({ retryable: true })
    expect(context.spent).toEqual({ tokens: 0, costMicros: 0 })
  })
})

describe('what a model says is data', () => {
  test('arguments that are no JSON, and tools that do not exist, are answered', async () => {
    const agent = await agentFor(local, [
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
    expect(context.calls).toEqual([])
    expect(bodies()[1]).toContain('not valid JSON')
    expect(bodies()[2]).toContain('must be a JSON object')
    expect(bodies()[2]).toContain('There is no tool')
  })
})

describe('window', () => {
  const long = 'word '.repeat(2000)

  test('is never exceeded: old results go first, and the cut is noted', async () => {
    const windowTokens = 20_000
    const sizes: number[] = []
    const agent = await agentFor(
      anthropic,
      ({ body }, number) => {
        sizes.push(JSON.stringify(body).length)
        return number <= 12 ? add(number) : done
      },
      { windowTokens, maxOutputTokens: 1000 },
    )
    const context = createAgentContext({ tools: { add: () => long } })
    const report = await agent.work(context, 'Remember the mongoose.')
    expect(report).toMatchObject({ status: 'done', turns: 13 })
    // Five characters are a token here.
    expect(Math.max(...sizes) / 5 + 1000).toBeLessThan(windowTokens)
    expect(context.notes.filter((note) => note.type === 'context-cut').length).toBeGreaterThan(0)
    expect(bodies().every((body) => body.includes('Remember the mongoose.'))).toBe(true)
    expect(bodies().at(-1)).toContain('cut to make room')
  })

  test('is cut once more when the provider counts more than was estimated', async () => {
    const tooLong = { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' }
    const agent = await agentFor(anthropic, [add(1), add(2), add(3), tooLong, done])
    const context = createAgentContext({ tools: { add: () => long } })
    expect(await agent.work(context)).toMatchObject({ status: 'done', turns: 4 })
    const [, , , refused = '', taken = ''] = bodies()
    expect(taken.length).toBeLessThan(refused.length / 2)
  })

  test('is a fault when no cut helps', async () => {
    const tooLong = { status: 400, message: 'This model has a maximum context length of 8 tokens' }
    const agent = await agentFor(anthropic, [tooLong])
    expect(await faultOf(agent.work())).toMatchObject({ code: 'context-too-long' })
    expect(server.requests.length).toBeLessThanOrEqual(2)
  })

  test('is a fault before anything is asked when not even the prompt can be made to fit', async () => {
    const agent = await agentFor(anthropic, [done], { windowTokens: 200 })
    expect(await faultOf(agent.work())).toMatchObject({ code: 'context-too-long' })
    expect(server.requests).toHaveLength(0)
  })
})

test('what changes each turn comes last, and the cache is asked to keep what is before', async () => {
  const agent = await agentFor(anthropic, [add(1), add(2), done])
  await agent.work(createAgentContext({ tools: { add: () => 'ok' } }))
  const messages = (at: number): readonly unknown[] =>
    server.requests[at]?.body['messages'] as readonly unknown[]
  const [second, third] = [JSON.stringify(messages(1)), JSON.stringify(messages(2))]
  expect(second).toMatch(/Left: 49 turns, [\d,]+ tokens, \$\d\.\d\d, 480 min\."\}\]\}\]$/)
  expect(third).toContain('Left: 48 turns')
  expect(third).not.toContain('Left: 49 turns')
  expect(second).toContain('"cache_control":{"type":"ephemeral"}')
})
