import { expect, test } from 'vitest'
import { withOwnLogin } from './own-login.ts'
import { knownPrograms } from './programs.ts'

const options = {
  prompt: '/go',
  model: 'another',
  url: 'http://127.0.0.1:1',
  token: 'token',
  home: '/home/agent',
  settings: '/settings',
  args: ['--mine'],
}

test('only programs that the repository cannot configure are started without a sandbox', () => {
  const own = knownPrograms().filter((program) => withOwnLogin(program) !== undefined)
  expect(own.map(({ name }) => name)).toEqual(['claude'])
  expect(own.flatMap(({ hides }) => hides)).toEqual([])
})

test.each(knownPrograms().flatMap((program) => withOwnLogin(program) ?? []))(
  '$name keeps its home and its login, and may only edit',
  (program) => {
    const { args, env } = program.launch(options)
    expect(env).toEqual({})
    const line = args.join(' ')
    expect(line).not.toMatch(/bypass|dangerous|yolo/)
    expect(line).toContain('--model=another')
    expect(args).toContain('--mine')
    expect(program.launch({ ...options, model: program.model }).args.join(' ')).not.toContain(
      '--model',
    )
  },
)
