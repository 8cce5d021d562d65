import { describe, expect, test } from 'vitest'
import type { LaunchOptions } from './agent-program.ts'
import { agentProgram, isProgramName, knownPrograms } from './programs.ts'

const options: LaunchOptions = {
  prompt: '--help me with this task',
  model: 'some-model',
  url: 'http://127.0.0.1:4140',
  token: 'token-0123456789',
  home: '/home/agent',
  settings: '/settings',
  args: ['--of-the-author'],
}

describe.each(knownPrograms())('$name', (program) => {
  const { args, env, input } = program.launch(options)

  test('gets its task as its input, where it cannot be mistaken for a flag', () => {
    expect(input).toBe(options.prompt)
    expect(args.join('\n')).not.toContain('this task')
  })

  test('gets the token where it is not visible to others, and a separate home', () => {
    expect(args.join('\n')).not.toContain(options.token)
    expect(Object.values(env).join('\n')).toContain(options.token)
    expect(env['HOME']).toBe(options.home)
  })

  test('uses the configured model at the configured address', () => {
    const all = [...args, ...Object.values(env)].join('\n')
    expect(all).toContain('some-model')
    expect(all).toContain(options.url)
  })

  test('gets the arguments of the loop file last', () => {
    const rest = args.slice(args.indexOf('--of-the-author') + 1)
    expect(rest.filter((arg) => arg !== '-')).toEqual([])
  })

  test('has settings that do not depend on the task', () => {
    const asked = program.launch({ ...options, prompt: 'another' })
    expect(asked.settings).toEqual(program.launch(options).settings)
  })
})

test.each(['claude', 'gemini'] as const)('%s does not mistake a task for a command', (name) => {
  const { input } = agentProgram(name).launch({ ...options, prompt: '/compact and go on' })
  expect(input).toMatch(/^[^/]/)
  expect(input).toContain('/compact and go on')
})

test('programs are known by name', () => {
  expect(knownPrograms().map(({ name }) => agentProgram(name).name)).toEqual([
    'claude',
    'codex',
    'opencode',
    'gemini',
  ])
  expect([isProgramName('claude'), isProgramName('__proto__')]).toEqual([true, false])
})
