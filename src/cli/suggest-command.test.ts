import { expect, test } from 'vitest'
import { createProgram } from './program.ts'
import { suggestCommand } from './suggest-command.ts'

const commands = (await createProgram()).commands.map((command) => command.name())

test.each([
  ['lsit', 'list'],
  ['certfy', 'certify'],
  ['status', 'list'],
  ['logs', 'tail'],
  ['start', 'run'],
  ['commit', undefined],
  ['stash', undefined],
  ['frobnicate', undefined],
])('%s: %s', (typed, meant) => {
  expect(suggestCommand(typed, commands)).toBe(meant)
})

test('every suggestion is a command', () => {
  const words =
    'abort apply approve check cleanup continue delete exec get info kill log logs ls new ps remove runs setup start status stop'
  for (const word of words.split(' ')) expect(commands).toContain(suggestCommand(word, commands))
})

test('an unknown command is refused with the suggestion', async () => {
  const program = await createProgram()
  let said = ''
  program.configureOutput({ writeErr: (text) => void (said += text) })
  await expect(program.parseAsync(['lsit'], { from: 'user' })).rejects.toThrow('unknown command')
  expect(said).toBe("error: unknown command 'lsit'\n(Did you mean list?)\nSee: loopctl help\n")
})
