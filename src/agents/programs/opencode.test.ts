import { expect, test } from 'vitest'
import type { LaunchOptions } from './agent-program.ts'
import { opencode } from './opencode.ts'

const options: LaunchOptions = {
  prompt: '/init is not a command here.',
  model: 'claude-sonnet-5',
  url: 'http://127.0.0.1:4140',
  token: 'token-0123456789',
  home: '/home/agent',
  settings: '/nonexistent/settings',
  args: ['--variant', 'high'],
}

const configOf = (model: string): unknown =>
  JSON.parse(opencode.launch({ ...options, model }).env['OPENCODE_CONFIG_CONTENT'] ?? '')

test('opencode is pointed at the gateway for the provider of its model', () => {
  const provider = (name: string, path: string, model: string): object => ({
    model: `${name}/${model}`,
    small_model: `${name}/${model}`,
    enabled_providers: [name],
    provider: {
      [name]: {
        options: { baseURL: `${options.url}${path}`, apiKey: options.token },
        models: { [model]: {} },
      },
    },
  })
  expect(configOf('claude-x')).toMatchObject(provider('anthropic', '/v1', 'claude-x'))
  expect(configOf('openai/gpt-x')).toMatchObject(provider('openai', '/v1', 'gpt-x'))
  expect(configOf('google/g-x')).toMatchObject(provider('google', '/v1beta', 'g-x'))
  expect(configOf('a/b')).toMatchObject(provider('anthropic', '/v1', 'a/b'))
})

test('neither the prompt nor the token of opencode is in its arguments', () => {
  const { args, input, env } = opencode.launch(options)
  expect(input).toBe(options.prompt)
  expect(args.slice(-2)).toEqual(options.args)
  expect(args.join(' ')).not.toMatch(/token-|init/)
  expect(env['HOME']).toBe(options.home)
})
