import { describe, expect, test } from 'vitest'
import { isLoopError } from '../loop/index.ts'
import { resolveModel } from './resolve-model.ts'

const env = { ANTHROPIC_API_KEY: 'key-a', OPENAI_API_KEY: 'key-o', OTHER: 'key-x' }
const baseUrl = 'http://127.0.0.1:1/v1'

async function refusal(...args: Parameters<typeof resolveModel>): Promise<string> {
  const error: unknown = await resolveModel(...args).catch((thrown: unknown) => thrown)
  if (isLoopError(error, 'not-configured')) return error.message
  throw new Error(`expected a rejection, got ${String(error)}`)
}

describe('a model by its name', () => {
  test('comes with its price and its window', async () => {
    const resolved = await resolveModel('anthropic/claude-sonnet-5', { env })
    expect(resolved.model.modelId).toBe('claude-sonnet-5')
    expect(resolved).toMatchObject({
      modelId: 'anthropic/claude-sonnet-5',
      windowTokens: 1_000_000,
      keyVariable: 'ANTHROPIC_API_KEY',
      secrets: ['key-a'],
    })
    const usage = { input: 1000, cacheRead: 100, cacheWrite: 200, output: 100 }
    expect(resolved.price?.costMicros(usage)).toBe(700 * 2 + 100 * 0.2 + 200 * 2.5 + 100 * 10)
    expect(resolved.price?.costMicros({ ...usage, cacheRead: 5000 })).toBe(1000 * 0.2 + 100 * 10)
  })

  test('has no price if it is unknown', async () => {
    const resolved = await resolveModel('anthropic/never-heard-of', { env })
    expect(resolved.price).toBeUndefined()
    expect(resolved.windowTokens).toBeUndefined()
  })

  test('names the model whose price was used', async () => {
    const { price } = await resolveModel('anthropic/claude-sonnet-5-20990101', { env })
    expect(price?.priceModelId).toBe('claude-sonnet-5')
  })

  test('at a base URL needs no key and may have any name', async () => {
    const { model, keyVariable } = await resolveModel('some-lab/some-model', { baseUrl, env: {} })
    expect(model.modelId).toBe('some-lab/some-model')
    expect(keyVariable).toBeUndefined()
    const explicit = await resolveModel('openai-compatible/openai/x', { baseUrl, env: {} })
    expect(explicit.model.modelId).toBe('openai/x')
  })

  test('takes its key from the configured variable', async () => {
    const options = { baseUrl, apiKeyEnv: 'OTHER', env }
    expect(await resolveModel('openai/gpt-4o', options)).toMatchObject({
      keyVariable: 'OTHER',
      secrets: ['key-x'],
    })
  })
})

test("the key of Google's models is found under any of its names", async () => {
  const options = { env: { GEMINI_API_KEY: 'key-g' } }
  const { keyVariable, secrets } = await resolveModel('google/gemini-3.8-flash', options)
  expect([keyVariable, ...secrets]).toEqual(['GEMINI_API_KEY', 'key-g'])
})

describe('is refused with the next step', () => {
  test.each([
    ['google/gemini-3.8-flash', { env }, 'set the variable GOOGLE_GENERATIVE_AI_API_KEY'],
    ['openai/gpt-4o', { env: { OPENAI_API_KEY: '' } }, 'set the variable OPENAI_API_KEY'],
    ['openai/gpt-4o', { env, apiKeyEnv: 'MINE' }, 'set the variable MINE'],
    ['claude', { env }, 'anthropic/…'],
    ['anthropic/', { env }, 'Unknown model'],
    ['__proto__/x', { env }, 'Unknown model'],
    ['openai-compatible/x', { env }, 'set baseUrl'],
    ['openai/gpt-4o', { env, baseUrl: 'file:///etc/passwd' }, 'must start with http'],
  ])('%s', async (id, options, advice) => {
    expect(await refusal(id, options)).toContain(advice)
  })
})
