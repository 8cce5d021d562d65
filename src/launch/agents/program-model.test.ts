import { describe, expect, test } from 'vitest'
import { agentProgram, programNames } from '../../agents/index.ts'
import { agentPrograms } from '../../protocol/index.ts'
import { createSharedGateway } from '../shared-gateway.ts'
import { chooseModel, toProgramModel } from './program-model.ts'

const claude = agentProgram('claude')
const opencode = agentProgram('opencode')

const choose = (
  name: 'claude' | 'opencode',
  written: string | undefined,
  given: Readonly<Record<string, string>>,
): Promise<string> => {
  const environment = { XDG_CONFIG_HOME: '/nonexistent', ...given }
  return chooseModel(agentProgram(name), written, {
    models: createSharedGateway(environment),
    environment,
  })
}

test('a loop file may name exactly the known programs', () => {
  expect(agentPrograms).toEqual(programNames)
})

describe('the model of a program', () => {
  test('has the name of its provider, with or without the provider as prefix', () => {
    expect(toProgramModel(claude, undefined)).toBe(claude.model)
    expect(toProgramModel(claude, 'claude-opus-5')).toBe('claude-opus-5')
    expect(toProgramModel(claude, 'anthropic/claude-opus-5')).toBe('claude-opus-5')
    expect(toProgramModel(opencode, 'openai/gpt-5')).toBe('openai/gpt-5')
    expect(toProgramModel(claude, 'us.claude/opus')).toBe('us.claude/opus')
  })

  test('of an unsupported provider is refused', () => {
    expect(() => toProgramModel(claude, 'openai/gpt-5')).toThrow(
      'claude supports models of anthropic, and openai/gpt-5 is one of openai',
    )
  })

  test('needs the key of its own provider', async () => {
    await expect(choose('claude', undefined, {})).rejects.toThrow(/ANTHROPIC_API_KEY/)
    await expect(choose('opencode', 'openai/gpt-5', { ANTHROPIC_API_KEY: 'k' })).rejects.toThrow(
      /OPENAI_API_KEY/,
    )
    expect(await choose('opencode', 'openai/gpt-5', { OPENAI_API_KEY: 'k' })).toBe('openai/gpt-5')
  })

  test('has a key, if a program supports several providers', async () => {
    expect(await choose('opencode', undefined, { ANTHROPIC_API_KEY: 'k' })).toBe(opencode.model)
    const google = await choose('opencode', undefined, { GEMINI_API_KEY: 'k' })
    expect(google).toBe(`google/${agentProgram('gemini').model}`)
    await expect(choose('opencode', undefined, {})).rejects.toThrow(/ANTHROPIC_API_KEY/)
  })
})
