import { expect, test } from 'vitest'
import { createProgram } from './program.ts'

test.each([
  [['diff'], 'See: loopctl help diff. Which runs there are: loopctl list\n'],
  [['daemon', 'token', '--nothing'], 'See: loopctl help daemon\n'],
])('%s, which is used wrongly, says whose help to read', async (args, expected) => {
  const program = createProgram()
  let said = ''
  let command = program
  for (const word of args) {
    const inner = command.commands.find((one) => one.name() === word)
    if (inner !== undefined) command = inner
  }
  command.configureOutput({ writeErr: (text) => void (said += text) })
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow('error')
  expect(said).toContain(expected)
})

test('help is there for a command of a command', async () => {
  const program = createProgram()
  const start = program.commands
    .find((one) => one.name() === 'daemon')
    ?.commands.find((one) => one.name() === 'start')
  let said = ''
  start?.configureOutput({ writeOut: (text) => void (said += text) })
  await program.parseAsync(['help', 'daemon', 'start'], { from: 'user' })
  expect(said).toContain('--max-concurrent-runs')
})
