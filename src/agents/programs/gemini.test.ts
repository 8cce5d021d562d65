import { expect, test } from 'vitest'
import type { LaunchOptions } from './agent-program.ts'
import { gemini } from './gemini.ts'

const options: LaunchOptions = {
  prompt: 'Do it.',
  model: 'gemini-x',
  url: 'http://127.0.0.1:4140',
  token: 'token-0123456789',
  home: '/home/agent',
  settings: '/nonexistent/settings',
  args: ['--debug'],
}

test('gemini is pointed at the gateway by system settings that contain no secret', () => {
  const { args, env, settings = {} } = gemini.launch({ ...options, turnsMax: 7 })
  expect(env).toMatchObject({
    GOOGLE_GEMINI_BASE_URL: options.url,
    GEMINI_API_KEY: options.token,
    GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/nonexistent/settings/settings.json',
    HOME: options.home,
  })
  expect(JSON.stringify([args, settings])).not.toContain('token-')
  expect(args.at(-1)).toBe('--debug')
  expect(JSON.parse(settings['settings.json'] ?? '')).toMatchObject({
    model: { maxSessionTurns: 7 },
    advanced: { ignoreLocalEnv: true },
    hooksConfig: { enabled: false },
  })
})

test('a prompt is never a command of gemini, and is never silently shortened', () => {
  expect(gemini.launch(options).input).toBe('Do it.')
  expect(gemini.launch({ ...options, prompt: '/quit' }).input).toBe('\n/quit')
  const prompt = 'ä'.repeat(4 * 1024 * 1024)
  expect(gemini.launch({ ...options, prompt }).input).toBe(prompt)
  expect(() => gemini.launch({ ...options, prompt: `${prompt}.` })).toThrow('at most')
})
