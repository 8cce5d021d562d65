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
