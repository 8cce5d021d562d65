// The official clients, used as agents use them: streams with tool calls, results sent back, a
// provider that is overloaded in between, and a client that disconnects.

import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, Type } from '@google/genai'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import type { ModelAnswer } from '../../src/testing/index.ts'
import { openSetting, type Setting } from './gateway-fixture.ts'

const calls = [
  { name: 'read', args: { path: 'a.ts' } },
  { name: 'read', args: { path: 'ü.ts' } },
]
/** The provider is overloaded before each of its two responses. */
const script: readonly ModelAnswer[] = [
  { status: 429, headers: { 'retry-after': '2' } },
  { text: 'Let me see both.', pieces: 5, calls, usage: { input: 300, output: 25, cacheRead: 100 } },
  { status: 529 },
  { text: 'Both say: äöü 👍', pieces: 4, usage: { input: 400, output: 12 } },
]
const paths = ['a.ts', 'ü.ts']
const parameters = {
  type: 'object' as const,
  properties: { path: { type: 'string' } },
  required: ['path'],
}

async function expectMetered(setting: Setting): Promise<void> {
  const totals = await setting.session.close()
  expect(totals.usage).toMatchObject({ input: 700, output: 37, cacheRead: 100 })
  expect(totals).toMatchObject({ requests: 4, exchanges: 2, isEstimated: false })
  expect(setting.exchanges.map(({ ended, attempts }) => `${ended} ${attempts}`)).toEqual([
    'complete 2',
    'complete 2',
  ])
  expect(setting.session.activity.lastTurnEnd).toBe('final')
  expect(JSON.stringify(setting.server.requests[2]?.body)).toContain('text of ü.ts')
}

test('@anthropic-ai/sdk', async () => {
  await using setting = await openSetting(script)
  const { url, token } = setting.session
  const client = new Anthropic({ baseURL: url, apiKey: token })
  const asked = {
    model: 'claude-sonnet-5',
    max_tokens: 1000,
    tools: [{ name: 'read', description: 'Reads.', input_schema: parameters }],
  }
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'go' }]
  const deltas: string[] = []
  const stream = client.messages.stream({ ...asked, messages })
  stream.on('text', (text) => void deltas.push(text))
  const first = await stream.finalMessage()
  expect(deltas).toHaveLength(4)
  expect(deltas.join('')).toBe('Let me see both.')
  const uses = first.content.filter((block) => block.type === 'tool_use')
  expect(uses.map(({ input }) => (input as { path: string }).path)).toEqual(paths)
  expect(setting.session.activity.lastTurnEnd).toBe('calls')
  const content = uses.map(({ id }, index) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: `text of ${paths[index]}`,
  }))
  messages.push({ role: 'assistant', content: first.content }, { role: 'user', content })
  expect(await client.messages.stream({ ...asked, messages }).finalText()).toBe('Both say: äöü 👍')
  await expectMetered(setting)
})

test('openai, chat completions', async () => {
  await using setting = await openSetting(script)
  const { url, token } = setting.session
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token })
  const asked = {
    model: 'gpt-5.1',
    tools: [{ type: 'function' as const, function: { name: 'read', parameters } }],
    stream_options: { include_usage: true },
  }
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'go' }]
  const first = await client.chat.completions.stream({ ...asked, messages }).finalMessage()
  expect(first.content).toBe('Let me see both.')
  const uses = (first.tool_calls ?? []).filter((call) => call.type === 'function')
  expect(uses.map((call) => JSON.parse(call.function.arguments) as unknown)).toEqual(
    calls.map(({ args }) => args),
  )
  const results = uses.map(({ id }, index) => ({
    role: 'tool' as const,
    tool_call_id: id,
    content: `text of ${paths[index]}`,
  }))
  messages.push(first, ...results)
  const last = await client.chat.completions.stream({ ...asked, messages }).finalMessage()
  expect(last.content).toBe('Both say: äöü 👍')
  await expectMetered(setting)
})

test('openai, responses', async () => {
  await using setting = await openSetting(script)
  const { url, token } = setting.session
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token })
  const asked = {
    model: 'gpt-5.1',
    stream: true as const,
    tools: [{ type: 'function' as const, name: 'read', parameters, strict: false }],
  }
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'go' }]
  const read = async (): Promise<{
    text: string
    items: OpenAI.Responses.ResponseOutputItem[]
  }> => {
    let text = ''
    const items: OpenAI.Responses.ResponseOutputItem[] = []
    for await (const event of await client.responses.create({ ...asked, input })) {
      if (event.type === 'response.output_text.delta') text += event.delta
      if (event.type === 'response.output_item.done') items.push(event.item)
    }
    return { text, items }
  }
  const first = await read()
  expect(first.text).toBe('Let me see both.')
  const uses = first.items.filter((item) => item.type === 'function_call')
  expect(uses.map((call) => JSON.parse(call.arguments) as unknown)).toEqual(
    calls.map(({ args }) => args),
  )
  for (const [index, { call_id }] of uses.entries()) {
    input.push({ type: 'function_call_output', call_id, output: `text of ${paths[index]}` })
  }
  expect((await read()).text).toBe('Both say: äöü 👍')
  await expectMetered(setting)
})

test('@google/genai', async () => {
  await using setting = await openSetting(script)
  const { url, token } = setting.session
  const client = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } })
  const schema = { type: Type.OBJECT, properties: { path: { type: Type.STRING } } }
  const asked = {
    model: 'gemini-2.5-flash',
    config: { tools: [{ functionDeclarations: [{ name: 'read', parameters: schema }] }] },
  }
  const chat = client.chats.create(asked)
  let text = ''
  const args: unknown[] = []
  for await (const chunk of await chat.sendMessageStream({ message: 'go' })) {
    text += chunk.candidates?.[0]?.content?.parts?.map((part) => part.text ?? '').join('') ?? ''
    args.push(...(chunk.functionCalls ?? []).map((call) => call.args))
  }
  expect(text).toBe('Let me see both.')
  expect(args).toEqual(calls.map((call) => call.args))
  const message = paths.map((path) => ({
    functionResponse: { name: 'read', response: { output: `text of ${path}` } },
  }))
  let last = ''
  for await (const chunk of await chat.sendMessageStream({ message })) last += chunk.text ?? ''
  expect(last).toBe('Both say: äöü 👍')
  await expectMetered(setting)
})

test('a client that stops reading pays for what it received', async () => {
  const text = 'and so on '.repeat(40)
  const fault = { does: 'stall', afterEvents: 20 } as const
  await using setting = await openSetting([
    { text, pieces: 40, usage: { input: 30, output: 80 }, fault },
  ])
  const { url, token } = setting.session
  const client = new Anthropic({ baseURL: url, apiKey: token })
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'go' }]
  const stream = client.messages.stream({ model: 'claude-sonnet-5', max_tokens: 500, messages })
  stream.on('text', () => stream.abort())
  await expect(stream.finalMessage()).rejects.toThrow('aborted')
  await expect.poll(() => setting.exchanges.length).toBe(1)
  expect(setting.exchanges[0]).toMatchObject({ ended: 'client-gone', isEstimated: true })
  expect(setting.ledger.spent.tokens).toBeGreaterThan(30)
  expect(setting.ledger.spent.tokens).toBeLessThan(500)
  expect((await setting.session.close()).trouble).toBeUndefined()
})
