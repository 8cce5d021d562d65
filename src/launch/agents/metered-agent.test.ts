import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Agent } from '../../agents/index.ts'
import { type Gateway, openGateway, publicProviders, type Session } from '../../gateway/index.ts'
import type { AgentReport, StoredExchange } from '../../loop/index.ts'
import {
  createAgentContext,
  type ModelAnswer,
  type ModelServer,
  startModelServer,
} from '../../testing/index.ts'
import { type MeteredAgentOptions, meteredAgent } from './metered-agent.ts'

const key = 'sk-real-0123456789abcdef'
const task = { prompt: 'go' }

let folder: string
let server: ModelServer
let gateway: Gateway

async function answering(...answers: readonly ModelAnswer[]): Promise<void> {
  server = await startModelServer(answers)
  const anthropic = { ...publicProviders['anthropic'], baseUrl: server.url }
  gateway = await openGateway({ folder, keys: () => key, providers: { anthropic } })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-metered-'))
})

afterEach(async () => {
  await gateway.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const report = (status: AgentReport['status'], text = ''): AgentReport => ({
  status,
  text,
  usage: { tokens: 7, costMicros: 7 },
  turns: 1,
})

async function ask({ url, token }: Session): Promise<string> {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': token },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hello' }],
    }),
  })
  return response.text()
}

type Work = (session: Session, ...args: Parameters<Agent['work']>) => Promise<AgentReport>

const metered = (work: Work, more: Partial<MeteredAgentOptions> = {}): Agent =>
  meteredAgent({
    gateway: async () => gateway,
    make: async (session) => ({ work: (given, context) => work(session, given, context) }),
    keyVariable: (provider) => `THE_KEY_OF_${provider}`,
    ...more,
  })

test('the gateway determines what an agent spent, and every exchange is stored', async () => {
  await answering({ text: 'Hi.', usage: { input: 300, output: 20 } })
  const kept: StoredExchange[] = []
  const context = {
    ...createAgentContext(),
    keepExchange: async (exchange: StoredExchange) => void kept.push(exchange),
  }
  const agent = metered(async (session, _task, { reserve }) => {
    // It has nothing to reserve.
    await (await reserve({ tokens: 1e9, costMicros: 1e9 })).settle({ tokens: 1e9, costMicros: 1e9 })
    await ask(session)
    return report('done')
  })
  const { usage } = await agent.work(task, context)
  expect(usage.tokens).toBe(320)
  expect(context.reservations).toMatchObject([{ spent: usage }])
  expect(kept).toMatchObject([{ ordinal: 1, provider: 'anthropic', ended: 'complete' }])
})

test('its session ends with its work', async () => {
  await answering({ text: 'Hi.' })
  const seen: Session[] = []
  const agent = metered(async (session) => {
    seen.push(session)
    return report('done')
  })
  await agent.work(task, createAgentContext())
  await expect(Promise.all(seen.map(ask))).rejects.toThrow('fetch failed')
})

test('the fault is that of the gateway, not what the agent reports', async () => {
  await answering({ status: 401, message: 'no' })
  const agent = metered(async (session) => {
    await ask(session)
    return report('failed', 'something went wrong')
  })
  await expect(agent.work(task, createAgentContext())).rejects.toMatchObject({
    fault: {
      code: 'provider-denied',
      fatal: true,
      message: expect.stringContaining('Check THE_KEY_OF_anthropic and the account behind it.'),
    },
  })
})

test('an agent that recovers from a failed request has not failed', async () => {
  await answering({ status: 401, message: 'no' })
  const agent = metered(async (session) => {
    await ask(session)
    return report('done', 'I did it myself.')
  })
  expect(await agent.work(task, createAgentContext())).toMatchObject({ status: 'done' })
})

test('an agent that keeps sending requests after its budget is spent is ended with a budget fault', async () => {
  await answering({ text: 'Hi.' })
  const context = createAgentContext({ limits: { tokens: 0 } })
  const kept: StoredExchange[] = []
  const keepExchange = async (exchange: StoredExchange): Promise<void> => void kept.push(exchange)
  // It ignores the request to end for a while.
  const agent = metered(async (session) => {
    for (;;) await ask(session)
  })
  const work = agent.work(task, { ...context, keepExchange })
  await expect(work).rejects.toMatchObject({ fault: { code: 'budget' } })
  expect(kept.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4, 5, 6])
  expect(server.requests).toEqual([])
})

test('keys are masked in notes, tool calls and errors of an agent', async () => {
  await answering({ text: 'Hi.' })
  const spelt = `${key} ${Buffer.from(key).toString('base64')} ${Buffer.from(key).toString('hex')}`
  const context = createAgentContext({ tools: { read: () => 'ok' } })
  const agent = metered(async (_session, { prompt }, { note, callTool }) => {
    note({ type: 'said', text: spelt })
    await callTool('read', { paths: [{ path: spelt }], count: 3 })
    if (prompt === 'fail') throw new Error(spelt)
    return report('done', spelt)
  })
  const done = await agent.work(task, context)
  const failed = await agent.work({ prompt: 'fail' }, context).catch(String)
  const said = JSON.stringify([done, failed, context.notes, context.calls])
  expect(said).toContain('[secret]')
  for (const one of spelt.split(' ')) expect(said).not.toContain(one.slice(0, 20))
  expect(context.calls[0]?.args).toMatchObject({ count: 3 })
})

test('in a replay, a request without a recorded answer fails', async () => {
  await answering({ text: 'Hi.' })
  const asked: unknown[] = []
  const agent = metered(
    async (session) => {
      await ask(session)
      return report('done')
    },
    {
      replay(at) {
        asked.push(at)
        return undefined
      },
    },
  )
  await expect(agent.work(task, createAgentContext())).rejects.toMatchObject({
    fault: { code: 'diverged', fatal: true },
  })
  expect(asked).toEqual([{ iteration: 1, step: 'agent:maker#1' }])
  expect(server.requests).toEqual([])
})

test('an aborted run takes precedence over other faults', async () => {
  await answering({ does: 'hang' })
  const stop = new AbortController()
  const agent = metered(async (session) => {
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    await ask(session)
    return report('failed')
  })
  const context = createAgentContext({ signal: stop.signal })
  await expect(agent.work(task, context)).rejects.toThrow('stopped')
})
