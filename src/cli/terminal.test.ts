import { expect, test } from 'vitest'
import { describeTerminal } from './terminal.ts'

const tty = { isTTY: true, columns: 100 } as NodeJS.WriteStream
const pipe = { isTTY: false } as NodeJS.WriteStream
const keyboard = { isTTY: true } as NodeJS.ReadStream
const file = { isTTY: false } as NodeJS.ReadStream

const red = (output: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): string =>
  describeTerminal({ input: keyboard, output }, environment).style.red('x')

test('colors are for terminals, unless NO_COLOR or FORCE_COLOR overrides that', () => {
  expect(red(tty, {})).toBe('\u001B[31mx\u001B[39m')
  expect(red(pipe, {})).toBe('x')
  expect(red(tty, { NO_COLOR: '1' })).toBe('x')
  expect(red(tty, { NO_COLOR: '' })).not.toBe('x')
  expect(red(tty, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe('x')
  expect(red(pipe, { FORCE_COLOR: '1' })).not.toBe('x')
  expect(red(tty, { FORCE_COLOR: '0' })).toBe('x')
  expect(red(tty, { TERM: 'dumb' })).toBe('x')
})

test('does not prompt without a terminal on both sides, with --no-input, or in CI', () => {
  const asks = (input: NodeJS.ReadStream, output: NodeJS.WriteStream, env = {}, wanted = true) =>
    describeTerminal({ input, output }, env, { input: wanted }).asks
  expect(asks(keyboard, tty)).toBe(true)
  expect(asks(file, tty)).toBe(false)
  expect(asks(keyboard, pipe)).toBe(false)
  expect(asks(keyboard, tty, {}, false)).toBe(false)
  expect(asks(keyboard, tty, { CI: 'true' })).toBe(false)
})

test('--color overrides the environment', () => {
  const chosen = (
    output: NodeJS.WriteStream,
    color: 'auto' | 'always' | 'never',
    environment = {},
  ) => describeTerminal({ input: keyboard, output }, environment, { color }).style.red('x')
  expect(chosen(pipe, 'always', { NO_COLOR: '1' })).not.toBe('x')
  expect(chosen(tty, 'never', { FORCE_COLOR: '1' })).toBe('x')
  expect(chosen(tty, 'auto', { NO_COLOR: '1' })).toBe('x')
})
