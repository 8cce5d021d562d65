// Self-hosted servers that speak the chat format: Ollama, vLLM, LM Studio and the like, with their
// quirks. They are free, and their tokens count.

import { expect, test } from 'vitest'
import { localProviders } from '../../src/gateway/index.ts'
import { openSetting, type Setting } from './gateway-fixture.ts'
import { answerWith, startRawProvider } from './raw-provider.ts'

const stream = { 'content-type': 'text/event-stream' }
const events = (...all: readonly (object | string)[]): string =>
  all.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('')
const chunk = (delta: object, finish: string | null, more: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})
const usage = (completion: number): object => ({
  usage: { prompt_tokens: 11, completion_tokens: completion, total_tokens: 11 + completion },
})

interface Local extends AsyncDisposable {
  readonly setting: Setting
  ask(more?: object): Promise<string>
}

async function openLocal(answer: Buffer): Promise<Local> {
  const provider = await startRawProvider((socket) => socket.write(answer))
  const setting = await openSetting([], {
    session: {
      routes: { chat: 'ollama', responses: 'ollama', anthropic: 'ollama' },
      providers: { ollama: { baseUrl: provider.url } },
    },
  })
  return {
    setting,
    async ask(more = {}) {
      const body = { model: 'qwen3:8b', messages: [], max_tokens: 500, ...more }
      return (await setting.post('/v1/chat/completions', body)).text()
    },
    async [Symbol.asyncDispose]() {
      await setting[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

test('they are in the table, and are free', async () => {
  expect(Object.keys(localProviders)).toEqual(['ollama', 'vllm', 'lm-studio'])
  await using local = await openLocal(answerWith(JSON.stringify({ choices: [], ...usage(5) })))
  await local.ask()
  const totals = await local.setting.session.close()
  expect(totals.spent).toEqual({ tokens: 16, costMicros: 0, outputTokens: 5 })
  expect(totals.isEstimated).toBe(false)
})

test('if every event reports usage, the last one counts', async () => {
  const start = [
    chunk({ content: 'Hel' }, null, usage(1)),
    chunk({ content: 'lo' }, null, usage(2)),
  ]
  const whole = events(...start, chunk({}, 'stop', usage(3)), '[DONE]')
  await using local = await openLocal(answerWith(whole, stream))
  await local.ask({ stream: true })
  const totals = await local.setting.session.close()
  expect(totals).toMatchObject({ isEstimated: false, spent: { tokens: 14 } })
  const half = { ...stream, 'content-length': '100000' }
  await using broken = await openLocal(
    Buffer.concat([answerWith(events(...start), half), Buffer.alloc(0)]),
  )
  const asked = broken.ask({ stream: true }).catch(() => '')
  await expect.poll(() => broken.setting.session.activity.inProgress).toBe(1)
  const cut = await broken.setting.session.close()
  await asked
  expect(cut.isEstimated).toBe(true)
  expect(cut.spent.tokens).toBeLessThan(60)
})

test.each([
  ['usage that is null', chunk({}, 'stop', { usage: null })],
  ['no usage', chunk({}, 'stop')],
  ['extra fields', chunk({}, 'stop', { timings: { predicted_n: 3 }, system_fingerprint: 'x' })],
])('a stream with %s is charged by the received text, and marked', async (_name, last) => {
  const whole = events(chunk({ content: 'Hello there, my friend.' }, null), last, '[DONE]')
  await using local = await openLocal(answerWith(whole, stream))
  expect(await local.ask({ stream: true })).toBe(whole)
  const totals = await local.setting.session.close()
  expect(totals).toMatchObject({ isEstimated: true, trouble: undefined })
  expect(totals.usage.output).toBeGreaterThanOrEqual(5)
  expect(totals.usage.output).toBeLessThan(30)
  expect(local.setting.exchanges[0]?.ended).toBe('complete')
})

test('a response that is not streamed and reports no usage is charged by the received text', async () => {
  const message = { role: 'assistant', content: 'Hello there, my friend.' }
  const body = { choices: [{ index: 0, message, finish_reason: 'stop' }] }
  await using local = await openLocal(answerWith(JSON.stringify(body)))
  await local.ask()
  const totals = await local.setting.session.close()
  expect(totals.isEstimated).toBe(true)
  expect(totals.usage.output).toBeGreaterThanOrEqual(5)
  expect(totals.usage.output).toBeLessThan(30)
})

test('a server that sends its reasoning is charged for it', async () => {
  const whole = events(
    chunk({ reasoning: 'let me think about it. '.repeat(20) }, null),
    chunk({ reasoning_content: 'and once more. '.repeat(20) }, null),
    chunk({ content: 'Yes.' }, 'stop'),
    '[DONE]',
  )
  await using local = await openLocal(answerWith(whole, stream))
  await local.ask({ stream: true })
  expect((await local.setting.session.close()).usage.output).toBeGreaterThan(150)
})

test('comments, spaces and line ends may vary', async () => {
  const text = `: PROCESSING\r\n\r\ndata:${JSON.stringify(chunk({ content: 'hi' }, 'stop', usage(2)))}\r\n\r\ndata:[DONE]\r\n\r\n`
  await using local = await openLocal(answerWith(text, stream))
  expect(await local.ask({ stream: true })).toBe(text)
  const totals = await local.setting.session.close()
  expect(totals).toMatchObject({ isEstimated: false, spent: { tokens: 13 } })
})

test('an error given as a string is an error', async () => {
  const text = events(chunk({ content: 'hi' }, null), { error: 'the model ran out of memory' })
  await using local = await openLocal(answerWith(text, stream))
  await local.ask({ stream: true })
  expect((await local.setting.session.close()).trouble?.kind).toBe('failed')
  expect(local.setting.exchanges[0]?.ended).toBe('failed')
})

test('a call without an id, and with the wrong finish reason, is a call', async () => {
  const call = { index: 0, function: { name: 'read', arguments: '{}' } }
  const whole = events(chunk({ tool_calls: [call] }, null), chunk({}, 'stop', usage(4)), '[DONE]')
  await using local = await openLocal(answerWith(whole, stream))
  await local.ask({ stream: true })
  await expect.poll(() => local.setting.session.activity.inProgress).toBe(0)
  expect(local.setting.session.activity.lastTurnEnd).toBe('calls')
})

test('a server that is not running is reported as unreachable', async () => {
  await using setting = await openSetting([], {
    session: {
      routes: { chat: 'ollama' },
      // Nothing listens on port 1.
      providers: { ollama: { baseUrl: 'http://127.0.0.1:1/v1' } },
    },
  })
  const answer = await setting.post('/v1/chat/completions', { model: 'qwen3:8b', messages: [] })
  expect(answer.status).toBe(502)
  expect(await answer.text()).toContain('cannot be reached')
  expect(setting.ledger.spent.tokens).toBe(0)
})

test('the scripted server can omit its usage as they do', async () => {
  await using setting = await openSetting([{ text: 'some words', saysUsage: false }], {
    session: { routes: { chat: 'local', responses: 'local', anthropic: 'local' } },
  })
  for (const streamed of [true, false]) {
    const body = { model: 'm', messages: [], max_tokens: 50, stream: streamed }
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) {
      const text = await (await setting.post(path, body)).text()
      expect(text).toContain('some words')
      expect(text).not.toContain('usage')
    }
  }
  const totals = await setting.session.close()
  expect(totals.isEstimated).toBe(true)
  expect(setting.exchanges.every(({ ended }) => ended === 'complete')).toBe(true)
  expect(setting.exchanges.every(({ usage: { output } }) => output > 0 && output <= 50)).toBe(true)
})
