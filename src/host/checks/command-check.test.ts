import { expect, test } from 'vitest'
import type { CommandResult } from '../../engine/index.ts'
import { commandCheck } from './command-check.ts'

const ended: CommandResult = {
  ended: 'signal',
  stdout: '',
  stderr: 'Killed',
  durationMs: 1,
  outputBytes: 6,
}
const context = {
  workspace: undefined,
  signal: new AbortController().signal,
  attempt: 1,
  spend: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  iteration: 1,
  work: async () =>
    ({ status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 1 }) as const,
  callTool: async () => ({ ok: true, output: null }),
}

test('a check that met a limit of the sandbox says which', async () => {
  const run = async (): Promise<CommandResult> => ({ ...ended, exceeded: 'memory' })
  const { status, output } = await commandCheck('x', [], { commands: { run } })(context)
  expect(status).toBe('error')
  expect(output).toContain('limit of memory')
  const plain = await commandCheck('x', [], { commands: { run: async () => ended } })(context)
  expect(plain.output).not.toContain('limit')
})

test('a check that met a limit has not passed, whatever it exited with', async () => {
  const run = async (): Promise<CommandResult> => ({
    ...ended,
    ended: 'exited',
    exitCode: 0,
    exceeded: 'processes',
  })
  const { status } = await commandCheck('x', [], { commands: { run } })(context)
  expect(status).toBe('error')
})

test('of what a check printed the beginning and the end are kept', async () => {
  const end = `${'x\n'.repeat(5000)}# tests 3\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n`
  const result = await commandCheck('x', [], {
    commands: {
      async run({ onOutput }) {
        onOutput?.(Buffer.from('TAP version 13\n'), 'stdout')
        const outputBytes = 1_000_000
        return { ...ended, ended: 'exited', exitCode: 1, stdout: end, stderr: '', outputBytes }
      },
    },
  })(context)
  expect(result).toMatchObject({ kind: 'command', status: 'not-met', exitCode: 1 })
  expect(result.output.startsWith('TAP version 13\n')).toBe(true)
  expect(result.output.endsWith('# todo 0\n')).toBe(true)
  expect(result.output.length).toBeLessThan(4200)
})
