import { expect, test } from 'vitest'
import { openPrices } from '../pricing/price.ts'
import { noUsage, readUsage } from './usage.ts'

test.each([
  [
    'anthropic' as const,
    {
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 200,
        cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_1h_input_tokens: 20, ephemeral_5m_input_tokens: 10 },
        output_tokens: 5,
        server_tool_use: { web_search_requests: 2 },
      },
    },
    { input: 240, cacheRead: 200, cacheWrite: 30, cacheWriteHour: 20, output: 5, webSearches: 2 },
  ],
  ['anthropic' as const, { type: 'message_delta', usage: { output_tokens: 7 } }, { output: 7 }],
  [
    'chat' as const,
    {
      usage: {
        prompt_tokens: 9,
        completion_tokens: 3,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    },
    { input: 9, cacheRead: 4, output: 3 },
  ],
  ['chat' as const, { usage: null }, undefined],
  [
    'responses' as const,
    { response: { usage: { input_tokens: 9, output_tokens: 3 } } },
    { input: 9, output: 3 },
  ],
  [
    'gemini' as const,
    {
      usageMetadata: {
        promptTokenCount: 9,
        toolUsePromptTokenCount: 2,
        candidatesTokenCount: 3,
        thoughtsTokenCount: 40,
        cachedContentTokenCount: 5,
      },
    },
    { input: 11, cacheRead: 5, output: 43 },
  ],
  ['chat' as const, { usage: { prompt_tokens: -1, completion_tokens: 'many' } }, {}],
])('%s reports %j', (format, value, usage) => {
  expect(readUsage(format, value)).toEqual(usage)
})

test('cache reads and writes have separate prices', async () => {
  const findPrice = await openPrices()
  const source = { baseUrl: 'https://api.anthropic.com/v1', priceId: 'anthropic', isFree: false }
  const { costMicros, isEstimated } = findPrice(source, 'claude-sonnet-4-5')
  const input = 100_000
  expect(isEstimated).toBe(false)
  expect(costMicros({ ...noUsage, input })).toBe(300_000)
  expect(costMicros({ ...noUsage, input, cacheRead: input })).toBe(30_000)
  expect(costMicros({ ...noUsage, input, cacheWrite: input })).toBe(375_000)
  expect(costMicros({ ...noUsage, input, cacheWrite: input, cacheWriteHour: input })).toBe(600_000)
})

test.each([
  ['anthropic', 'claude-opus-77', 'claude-opus'],
  ['openai', 'gpt-5.1-something-new', 'gpt-5'],
  ['google', 'entirely-new', ''],
])(
  'an unknown model of %s, %s, is priced like an expensive related one',
  async (priceId, model, start) => {
    const findPrice = await openPrices()
    const source = { baseUrl: 'https://example.org', priceId, isFree: false }
    const price = findPrice(source, model)
    expect(price.priceModel.startsWith(start)).toBe(true)
    expect(price.costMicros({ ...noUsage, input: 1_000_000 })).toBeGreaterThan(0)
  },
)
