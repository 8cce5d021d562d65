// The official clients of the providers, unmodified, with only an address and a token: what works
// with the provider works through the gateway, and fails in the same way.

import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, Type } from '@google/genai'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { resolveModel } from '../../src/agents/index.ts'
import { modelAgent } from '../../src/agents/model-agent.ts'
import { createAgentContext, type ModelAnswer } from '../../src/testing/index.ts'
import { openSetting, type Setting } from './gateway-fixture.ts'

const parameters = {
  type: 'object' as const,
  properties: { path: { type: 'string' } },
  required: ['path'],
}
const call = { name: 'read', args: { path: 'a.ts' } }
const script: readonly ModelAnswer[] = [
  { text: 'Let me see.', calls: [call], usage: { input: 300, output: 25, cacheRead: 100 } },
  { text: 'Done: äöü 👍', usage: { input: 400, output: 12 } },
]

const anthropic = ({ session }: Setting): Anthropic =>
  new Anthropic({ baseURL: session.url, apiKey: session.token })
const openai = ({ session }: Setting): OpenAI =>
  new OpenAI({ baseURL: `${session.url}/v1`, apiKey: session.token })
const google = ({ session }: Setting): GoogleGenAI =>
  new GoogleGenAI({ apiKey: session.token, httpOptions: { baseUrl: session.url } })

async function expectMetered(setting: Setting): Promise<void> {
  const totals = await setting.session.close()
  expect(totals.usage).toMatchObject({ input: 700, output: 37, cacheRead: 100 })
  expect(totals.isEstimated).toBe(false)
  expect(setting.ledger.spent).toEqual(totals.spent)
  expect(setting.exchanges.map(({ ended }) => ended)).toEqual(['complete', 'complete'])
}

const claude = {
  model: 'claude-sonnet-5',
  max_tokens: 1000,
  tools: [{ name: 'read', description: 'Reads.', input_schema: parameters }],
}

test('@anthropic-ai/sdk: a tool call and its result, not streamed', async () => {
  await using setting = await openSetting(script)
  const client = anthropic(setting)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'go' }]
  const first = await client.messages.create({ ...claude, messages })
  const use = first.content.find((block) => block.type === 'tool_use')
  expect(use).toMatchObject({ name: 'read', input: { path: 'a.ts' } })
  messages.push(
    { role: 'assistant', content: first.content },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: use?.id ?? '', content: 'text of a.ts' }],
    },
  )
  const last = await client.messages.create({ ...claude, messages })
  expect(last.content).toMatchObject([{ type: 'text', text: 'Done: äöü 👍' }])
  expect(first.usage).toMatchObject({ input_tokens: 200, cache_read_input_tokens: 100 })
  await expectMetered(setting)
})

test('@anthropic-ai/sdk: the same, streamed', async () => {
  await using setting = await openSetting(script)
  const client = anthropic(setting)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'go' }]
  const first = await client.messages.stream({ ...claude, messages }).finalMessage()
  expect(first.stop_reason).toBe('tool_use')
  expect(first.content[1]).toMatchObject({ name: 'read', input: { path: 'a.ts' } })
  expect(await client.messages.stream({ ...claude, messages }).finalText()).toBe('Done: äöü 👍')
  await expectMetered(setting)
})

const chatTools = [
  { type: 'function' as const, function: { name: 'read', description: 'Reads.', parameters } },
]

test('openai, chat completions: a tool call, not streamed and streamed', async () => {
  await using setting = await openSetting(script)
  const client = openai(setting)
  const ask = {
    model: 'gpt-5.1',
    tools: chatTools,
    messages: [{ role: 'user' as const, content: 'go' }],
  }
  const first = await client.chat.completions.create(ask)
  expect(first.choices[0]?.message.tool_calls?.[0]).toMatchObject({
    function: { name: 'read', arguments: '{"path":"a.ts"}' },
  })
  const stream = await client.chat.completions.create({
    ...ask,
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  expect(text).toBe('Done: äöü 👍')
  await expectMetered(setting)
})

test('openai, responses: a tool call, not streamed and streamed', async () => {
  await using setting = await openSetting(script)
  const client = openai(setting)
  const tools = [
    { type: 'function' as const, name: 'read', description: 'Reads.', parameters, strict: false },
  ]
  const first = await client.responses.create({ model: 'gpt-5.1', tools, input: 'go' })
  expect(first.output.at(-1)).toMatchObject({ type: 'function_call', name: 'read' })
  const stream = await client.responses.create({
    model: 'gpt-5.1',
    tools,
    input: 'go',
    stream: true,
  })
  let text = ''
  let completed = false
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') text += event.delta
    if (event.type === 'response.completed') completed = true
  }
  expect(text).toBe('Done: äöü 👍')
  expect(completed).toBe(true)
  await expectMetered(setting)
})

test('@google/genai: a tool call, not streamed and streamed', async () => {
  await using setting = await openSetting(script)
  const client = google(setting)
  const schema = { type: Type.OBJECT, properties: { path: { type: Type.STRING } } }
  const ask = {
    model: 'gemini-2.5-flash',
    contents: 'go',
    config: {
      tools: [
        { functionDeclarations: [{ name: 'read', description: 'Reads.', parameters: schema }] },
      ],
    },
  }
  const first = await client.models.generateContent(ask)
  expect(first.functionCalls?.[0]).toMatchObject({ name: 'read', args: { path: 'a.ts' } })
  let text = ''
  for await (const chunk of await client.models.generateContentStream(ask)) text += chunk.text ?? ''
  expect(text).toBe('Done: äöü 👍')
  await expectMetered(setting)
})

test.each([
  ['anthropic/claude-sonnet-5', '/v1'],
  ['openai/gpt-5.1', '/v1'],
  ['google/gemini-2.5-flash', '/v1beta'],
  ['openai-compatible/gpt-5.1', '/v1'],
])('the built-in model agent with %s', async (id, version) => {
  await using setting = await openSetting(script)
  const { url, token } = setting.session
  const access = { baseUrl: `${url}${version}`, apiKeyEnv: 'TOKEN', env: { TOKEN: token } }
  const context = createAgentContext({ tools: { read: () => 'text of a.ts' } })
  const agent = modelAgent(await resolveModel(id, access))
  const report = await agent.work({ prompt: 'go' }, context)
  expect(report).toMatchObject({ status: 'done', text: expect.stringContaining('äöü 👍') })
  expect(context.calls).toEqual([call])
  await expectMetered(setting)
})

const broke = { cap: { tokens: 10, costMicros: 1 } }

test('each client understands that the budget is spent, and does not retry', async () => {
  await using setting = await openSetting(script, broke)
  const wrapUp = /budget of this run.*finish now/i
  const messages = [{ role: 'user' as const, content: 'go' }]
  await expect(anthropic(setting).messages.create({ ...claude, messages })).rejects.toMatchObject({
    status: 402,
    message: expect.stringMatching(wrapUp),
  })
  await expect(
    openai(setting).chat.completions.create({ model: 'gpt-5.1', messages }),
  ).rejects.toMatchObject({ status: 402, code: 'insufficient_quota' })
  await expect(
    openai(setting).responses.create({ model: 'gpt-5.1', input: 'go' }),
  ).rejects.toMatchObject({ status: 402, message: expect.stringMatching(wrapUp) })
  await expect(
    google(setting).models.generateContent({ model: 'gemini-2.5-flash', contents: 'go' }),
  ).rejects.toMatchObject({ status: 402, message: expect.stringMatching(wrapUp) })
  expect(setting.server.requests).toHaveLength(0)
  const totals = await setting.session.close()
  expect(totals).toMatchObject({ exchanges: 4, trouble: { kind: 'budget' } })
})

test('each client understands a response that breaks off', async () => {
  const fault = { does: 'cut', afterEvents: 1 } as const
  await using setting = await openSetting([{ text: 'Let me', fault }])
  const messages = [{ role: 'user' as const, content: 'go' }]
  await expect(
    anthropic(setting)
      .messages.stream({ ...claude, messages })
      .finalMessage(),
  ).rejects.toThrow('connection to the provider broke')
  const chat = await openai(setting).chat.completions.create({
    model: 'gpt-5.1',
    messages,
    stream: true,
  })
  await expect(drain(chat)).rejects.toThrow('connection to the provider broke')
  const ask = { model: 'gpt-5.1', input: 'go' } as const
  await expect(
    drain(await openai(setting).responses.create({ ...ask, stream: true })),
  ).rejects.toThrow('connection to the provider broke')
})

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}
