import { expect, test } from 'vitest'
import type { Command, CommandResult } from '../../engine/index.ts'
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

test('the failure is kept from the output of a check, wherever it is, and without colors', async () => {
  const noise = 'x\n'.repeat(100_000)
  const failure =
    '\u001b[31mnot ok 7 - sums\u001b[0m\n  ---\n  expected: 5\n  actual: 3 \u20ac\n  ...\n'
  const end = '# tests 3\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n'
  const stdout = Buffer.from(`TAP version 13\n${noise}${failure}${noise}${end}`)
  const seen: unknown[] = []
  const result = await commandCheck('x', [], {
    env: { A: '1' },
    commands: {
      async run({ onOutput, env }) {
        seen.push(env)
        onOutput?.(Buffer.from('Killed\n'), 'stderr')
        // Chunks end anywhere, also inside a character.
        for (let at = 0; at < stdout.length; at += 1021) {
          onOutput?.(stdout.subarray(at, at + 1021), 'stdout')
        }
        const outputBytes = stdout.length + 7
        return {
          ...ended,
          ended: 'exited',
          exitCode: 1,
          stdout: end,
          stderr: 'Killed\n',
          outputBytes,
        }
      },
    },
  })(context)
  expect(result).toMatchObject({ kind: 'command', status: 'not-met', exitCode: 1 })
  const { output } = result
  expect(output.startsWith('TAP version 13\n')).toBe(true)
  expect(output).toContain('not ok 7 - sums\n  ---\n  expected: 5\n  actual: 3 \u20ac\n')
  expect(output).toContain('# fail 1\n')
  expect(output.endsWith('# todo 0\nKilled')).toBe(true)
  expect(output.length).toBeLessThanOrEqual(4000)
  expect(seen).toEqual([{ TERM: 'dumb', A: '1' }])
})

test('the whole output is stored besides the excerpt, including what the sandbox dropped', async () => {
  const long = 'x'.repeat(80).concat('\n').repeat(2000)
  const commands = {
    async run(command: Command): Promise<CommandResult> {
      command.onOutput?.(Buffer.from(long), 'stdout')
      command.onOutput?.(Buffer.from('warning\n'), 'stderr')
      return { ...ended, ended: 'exited', exitCode: 0, stdout: 'the end', stderr: '' }
    },
  }
  const { output, whole } = await commandCheck('x', [], { commands })(context)
  expect(output.length).toBeLessThan(5000)
  expect(whole).toBe(`${long}\nwarning\n`)
})
