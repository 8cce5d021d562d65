import { describe, expect, test } from 'vitest'
import type { ModelAgentSettings } from '../../protocol/index.ts'
import { createSharedGateway } from '../shared-gateway.ts'
import { requireKey } from './require-key.ts'

const base = { type: 'model', turnsMax: 1, maxOutputTokens: 1 } as const
/** There is no key file. */
const nowhere = { XDG_CONFIG_HOME: '/nonexistent' }

const check = (
  settings: Pick<ModelAgentSettings, 'model' | 'baseUrl' | 'apiKeyEnv'>,
  given: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const environment = { ...nowhere, ...given }
  return requireKey(
    { ...base, ...settings },
    { models: createSharedGateway(environment), environment },
  )
}

describe('the key of a model', () => {
  const model = 'anthropic/claude-x'
  const key = { ANTHROPIC_API_KEY: 'sk-1' }

  test('is required before there is a run', async () => {
    await expect(check({ model })).rejects.toThrow(/set ANTHROPIC_API_KEY, or put it in .*keys/)
    await expect(check({ model, apiKeyEnv: 'MINE' }, key)).rejects.toThrow(/MINE/)
    await check({ model }, key)
    await check({ model, apiKeyEnv: 'MINE' }, { MINE: 'sk-2' })
  })

  test('is not sent to another host that a loop file names; the error says what to do', async () => {
    const baseUrl = 'https://proxy.example/v1'
    await expect(check({ model, baseUrl }, key)).rejects.toThrow(/proxy\.example.*apiKeyEnv/s)
    await check({ model, baseUrl, apiKeyEnv: 'MINE' }, { MINE: 'sk-2' })
  })

  test('is sent to this machine, and to the host of the provider in the environment', async () => {
    const local = { model, baseUrl: 'http://127.0.0.1:1/v1' }
    await expect(check(local, key)).resolves.toBeUndefined()
    const own = { model, baseUrl: 'https://proxy.example/v1' }
    const environment = { ...key, ANTHROPIC_BASE_URL: 'https://proxy.example' }
    await expect(check(own, environment)).resolves.toBeUndefined()
  })

  test('is not needed for a server with the chat format', async () => {
    const settings = { model: 'llama3', baseUrl: 'https://models.example/v1' }
    await expect(check(settings)).resolves.toBeUndefined()
  })
})
