import { expect, test } from 'vitest'
import { programNames } from '../../loop/index.ts'
import type { AcpLaunch } from '../programs/agent-program.ts'
import { agentProgram } from '../programs/programs.ts'
import { acpLaunch } from './known-acp-agents.ts'
import type { Permissions } from './permissions.ts'

const place = {
  url: 'http://127.0.0.1:4140',
  token: 'the-token',
  home: '/home/agent',
  settings: '/settings',
}

const launch = (name: (typeof programNames)[number], permissions: Permissions = 'all'): AcpLaunch =>
  acpLaunch(agentProgram(name), { ...place, model: 'm-1', args: ['--own'] }, permissions)

test.each(programNames)('%s is pointed at the gateway and at its model', (name) => {
  const { args, env } = launch(name)
  const all = JSON.stringify([args, env])
  expect(all).toContain('127.0.0.1:4140')
  expect(all).toContain('the-token')
  expect(all).toContain('m-1')
  expect(args.at(-1)).toBe('--own')
})

test('claude reads no settings from the repository, and asks for permission', () => {
  expect(launch('claude')).toMatchObject({
    mode: 'default',
    sessionMeta: {
      claudeCode: { options: { settingSources: ['user'], strictMcpConfig: true } },
    },
  })
})

test('codex gets its settings as one object, and works freely only if everything is allowed', () => {
  const { env } = launch('codex')
  expect(JSON.parse(env['CODEX_CONFIG'] ?? '')).toMatchObject({
    model: 'm-1',
    model_provider: 'loopwright',
    model_providers: { loopwright: { base_url: 'http://127.0.0.1:4140/v1' } },
    features: { plugins: false },
  })
  expect(env['INITIAL_AGENT_MODE']).toBe('agent-full-access')
  expect(launch('codex', 'edits').env['INITIAL_AGENT_MODE']).toBe('read-only')
})

test('opencode asks for permission before each tool', () => {
  expect(JSON.parse(launch('opencode').env['OPENCODE_PERMISSION'] ?? '')['*']).toBe('ask')
})
