import { expect, test } from 'vitest'
import { toCalls, toPrompt, toText } from './model-prompt.ts'
import type { SdkModel, SdkResult, SdkStreamPart } from './model-types.ts'
import { streamReply } from './stream-reply.ts'

const usage: SdkResult['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const finish: SdkStreamPart = {
  type: 'finish',
  finishReason: { unified: 'tool-calls', raw: 'x' },
  usage,
}
const signature = { anthropic: { signature: 'signed' } }

const parts: readonly SdkStreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: '0' },
  { type: 'reasoning-delta', id: '0', delta: 'I thi' },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Hel' },
  { type: 'reasoning-delta', id: '0', delta: 'nk.' },
  { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signature },
  { type: 'reasoning-end', id: '0' },
  { type: 'text-delta', id: '0', delta: 'lo.' },
  { type: 'text-end', id: '0' },
  { type: 'text-delta', id: 'unknown', delta: 'nobody began this' },
  { type: 'tool-call', toolCallId: '1', toolName: 'read', input: '{"path":"a"}' },
  { type: 'tool-call', toolCallId: '2', toolName: 'search', input: '{}', providerExecuted: true },
]

function replyOf(...streamed: readonly SdkStreamPart[]): Promise<SdkResult> {
  const stream = new ReadableStream<SdkStreamPart>({
    start(controller) {
      for (const part of streamed) controller.enqueue(part)
      controller.close()
    },
  })
  const model: SdkModel = {
    specificationVersion: 'v3',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream: async () => ({ stream }),
  }
  return streamReply(model, { prompt: [] })
}

test('a streamed response is assembled, and returns to its provider unchanged', async () => {
  const { content } = await replyOf(...parts, finish)
  expect(toText(content)).toBe('Hello.')
  const calls = toCalls(content)
  // Calls that the provider ran itself are not ours.
  expect(calls).toEqual([{ id: '1', name: 'read', args: { path: 'a' } }])
  const [, message] = toPrompt({
    system: 's',
    messages: [{ role: 'assistant', text: 'Hello.', calls, raw: content }],
    tools: [],
    mayCall: true,
    turn: 2,
  })
  expect(message?.content).toEqual([
    { type: 'reasoning', text: 'I think.', providerOptions: signature },
    { type: 'text', text: 'Hello.' },
    { type: 'tool-call', toolCallId: '1', toolName: 'read', input: { path: 'a' } },
  ])
})

test('a stream that ends early is a failure, and so is one that reports an error', async () => {
  await expect(replyOf(...parts)).rejects.toThrow('ended early')
  const broken: SdkStreamPart = { type: 'error', error: new Error('overloaded') }
  await expect(replyOf(...parts, broken, finish)).rejects.toThrow('overloaded')
})
