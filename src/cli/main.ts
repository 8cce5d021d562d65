/** Runs one command, and turns any error into one line and an exit code. */

import { type Command, CommanderError, InvalidArgumentError } from 'commander'
import { type ErrorCode, errorTable, LoopError } from '../loop/index.ts'
import { CancelledError } from './ask.ts'
import { visible } from './display/render.ts'
import { wrappedLine } from './display/wrap.ts'
import { bugExitCode, interruptedExitCode, outputExitCode } from './exit-codes.ts'
import { withGlobals } from './hints.ts'
import { createProgram } from './program.ts'
import { describeTerminal } from './terminal.ts'

export async function main(): Promise<void> {
  process.stdout.on('error', endAtBrokenOutput)
  // The error cannot be printed; without this listener, reporting it would fail again, endlessly.
  process.stderr.on('error', () => undefined)
  process.on('uncaughtException', reportBug)
  const given = process.argv.slice(2)
  const program = await createProgram({ given })
  // With --json, errors are printed only as JSON, by `report`.
  if (wantsJson()) silence(program)
  try {
    if (hasNoCommand(program, given)) await (await import('./home.ts')).showHome(program, given)
    else {
      const [first] = program.parseOptions([...given]).operands
      if (!isCommand(program, first) || hasOwnOperations(first)) {
        await (await import('./commands/loop-types.ts')).addBuiltInLoopTypes(program, first)
      }
      await program.parseAsync()
    }
  } catch (error) {
    if (error instanceof InvalidArgumentError) {
      // Commander prints those of its parsers; this one was thrown by a command.
      report('bad-request', describeUsageError(error))
    } else if (error instanceof CommanderError) {
      // Help and version are not errors and are already printed; the rest are usage errors.
      if (error.exitCode !== 0)
        report('bad-request', wantsJson() ? describeUsageError(error) : undefined)
    } else if (error instanceof CancelledError) {
      process.exitCode = interruptedExitCode
      process.stderr.write(`loopctl: ${error.message}\n`)
    } else if (error instanceof LoopError) {
      report(error.code, wantsJson() ? error.message : withGlobals(program, error.message))
    } else reportBug(error)
  }
}

/** Nothing but global options was given. */
function hasNoCommand(program: Command, given: readonly string[]): boolean {
  const { operands, unknown } = program.parseOptions([...given])
  return operands.length === 0 && unknown.length === 0
}

/** If not, it may be the name of a loop type, which are not added for every command. */
const isCommand = (program: Command, name = ''): boolean =>
  program.commands.some((one) => [one.name(), ...one.aliases()].includes(name))

/** A command of a loop type that also has operations: they are added when it is called. */
const hasOwnOperations = (name = ''): boolean => name === 'tune'

const wantsJson = (): boolean => process.argv.includes('--json')

const describeUsageError = ({ message }: CommanderError): string =>
  `${message.replace(/(?<![.)])$/, '.')} See: loopctl help`

/** Commander keeps this setting per command. */
function silence(command: Command): void {
  command.configureOutput({ writeErr: () => undefined })
  for (const inner of command.commands) silence(inner)
}

/** Quoted output is indented, so that it cannot be mistaken for a message of loopctl. */
const indentQuoted = (line: string): string => (/^(?: {2}|$)/.test(line) ? line : `  ${line}`)

/** These are lists of problems, each on a line without an indent. */
const inLines: ReadonlySet<ErrorCode> = new Set([
  'bad-config',
  'bad-loop-file',
  'bad-template',
  'bad-policy',
  'not-trusted',
])

function report(code: ErrorCode, message: string | undefined): void {
  process.exitCode = errorTable[code].exitCode
  if (wantsJson()) {
    process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`)
  } else if (message !== undefined) {
    const streams = { input: process.stdin, output: process.stderr }
    const terminal = describeTerminal(streams, process.env)
    const shown = errorLines(code, message).flatMap((line) =>
      terminal.live ? wrappedLine(line, terminal.width()) : [line],
    )
    process.stderr.write(`${shown.join('\n')}\n`)
  }
}

/** The lines of an error message. */
export function errorLines(code: ErrorCode, message: string): readonly string[] {
  const [first = '', ...rest] = message.trimEnd().split('\n')
  const more = inLines.has(code) ? rest : rest.map(indentQuoted)
  return [`loopctl: ${first}`, ...more].map(visible)
}

/** One line; with DEBUG=loopwright the whole stack. */
function reportBug(error: unknown): void {
  process.exitCode = bugExitCode
  const whole = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (process.env['DEBUG'] === 'loopwright') process.stderr.write(`${whole}\n`)
  else {
    const message = error instanceof Error ? error.message : String(error)
    const text = `unexpected: ${message} (Set DEBUG=loopwright to see the stack.)`
    const shown = wantsJson()
      ? JSON.stringify({ error: { code: 'bug', message: text } })
      : `loopctl: ${visible(text.replaceAll(/\s*\n\s*/g, ' '))}`
    process.stderr.write(`${shown}\n`)
  }
}

/** A reader that closes the pipe early, such as `head`, is not an error. */
function endAtBrokenOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`loopctl: cannot write the output: ${error.message}\n`)
  process.exit(outputExitCode)
}
