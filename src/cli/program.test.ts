import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandGroups } from './command-groups.ts'
import { describeWithExamples } from './help-examples.ts'
import { createProgram } from './program.ts'

test.each([
  [['diff'], 'See: loopctl help diff. List the runs: loopctl list\n'],
  [['daemon', 'token', '--nothing'], 'See: loopctl help daemon\n'],
])('a usage error of %s points to the help of the command', async (args, expected) => {
  const program = await createProgram()
  let printed = ''
  let command = program
  for (const word of args) {
    const inner = command.commands.find((one) => one.name() === word)
    if (inner !== undefined) command = inner
  }
  command.configureOutput({ writeErr: (text) => void (printed += text) })
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow('error')
  expect(printed).toContain(expected)
})

test('help works for a subcommand', async () => {
  const program = await createProgram()
  const start = program.commands
    .find((one) => one.name() === 'daemon')
    ?.commands.find((one) => one.name() === 'start')
  let printed = ''
  start?.configureOutput({ writeOut: (text) => void (printed += text) })
  await program.parseAsync(['help', 'daemon', 'start'], { from: 'user' })
  expect(printed).toContain('--max-concurrent-runs')
})

const allCommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(allCommands),
]

test.each(
  (await createProgram()).commands
    .flatMap(allCommands)
    .map((command) => [`${command.parent?.name()} ${command.name()}`, command] as const),
)('the help of "%s" is a short phrase with an example', (_, command) => {
  expect(command.description()).toMatch(/^[a-z].{0,59}$/)
  expect(describeWithExamples(command)).toMatch(/\n\nExamples:\n {2}(?:source <\()?loopctl /)
})

describe('a program for what the user typed', () => {
  test.each(Object.values(commandGroups).flat())(
    '$names: its module adds just these',
    async (one) => {
      const { names } = one
      const program = new Command()
      ;(await one.load())(program)
      expect(program.commands.flatMap((added) => [added.name(), ...added.aliases()])).toEqual(names)
    },
  )

  test('has only the commands of the module that is called', async () => {
    const program = await createProgram({ given: ['--state', 'list', 'show', 'run', '--help'] })
    expect(program.commands.map((one) => one.name())).toEqual(['show', 'help'])
  })

  test.each([
    [[]],
    [['lsit']],
    [['help', 'list']],
    [['--nothing', 'list']],
    [['--color', 'mauve', 'list']],
  ])('has all commands for %j', async (given) => {
    const program = await createProgram({ given })
    expect(program.commands.length).toBeGreaterThan(40)
  })
})
