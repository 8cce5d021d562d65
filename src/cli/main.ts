/** Runs one command, and turns whatever goes wrong into one line and an exit code. */

import { type Command, CommanderError } from 'commander'
import { type ErrorCode, errorTable, LoopError } from '../loop/index.ts'
import { visible } from './display/render.ts'
import { wrappedLine } from './display/wrap.ts'
import { bugExitCode, outputExitCode } from './exit-codes.ts'
import { createProgram } from './program.ts'
import { describeTerminal } from './terminal.ts'

export async function main(): Promise<void> {
  process.stdout.on('error', endAtBrokenOutput)
  // Nobody can be told; without this the complaint would fail in turn, for ever.
  process.stderr.on('error', () => undefined)
  process.on('uncaughtException', reportBug)
  const program = createProgram()
  // Programs read errors as JSON alone; `report` says the same.
  if (wantsJson()) silence(program)
  try {
    await program.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version have been printed and are no errors; the rest is a wrong use.
      if (error.exitCode !== 0) report('bad-request', wantsJson() ? wrongUse(error) : undefined)
    } else if (error instanceof LoopError) report(error.code, error.message)
    else reportBug(error)
  }
}

const wantsJson = (): boolean => process.argv.includes('--json')

const wrongUse = ({ code, message }: CommanderError): string =>
  code === 'commander.help'
    ? 'A command is needed. See: loopctl help'
    : `${message.replace(/(?<![.)])$/, '.')} See: loopctl help`

/** Commander asks each command for itself. */
function silence(command: Command): void {
  command.configureOutput({ writeErr: () => undefined })
  for (const inner of command.commands) silence(inner)
}

/** Of several problems each has its line; what is quoted in them was made one line before. */
const inLines: ReadonlySet<ErrorCode> = new Set([
  'bad-config',
  'bad-loop-file',
  'bad-template',
  'not-trusted',
])

/** What a package manager printed is set off, so that nothing of it passes for a line of ours. */
const quotedLine = /\n(?= {2})/
const noLine = /(?!)/

function report(code: ErrorCode, message: string | undefined): void {
  process.exitCode = errorTable[code].exitCode
  if (wantsJson()) {
    process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`)
  } else if (message !== undefined) {
    const lines = message.split(
      inLines.has(code) ? '\n' : code === 'workspace-failed' ? quotedLine : noLine,
    )
    const streams = { input: process.stdin, output: process.stderr }
    const terminal = describeTerminal(streams, process.env)
    const [first = '', ...more] = lines
    const shown = [`loopctl: ${first}`, ...more]
      .map(visible)
      .flatMap((line) => (terminal.live ? wrappedLine(line, terminal.width()) : [line]))
    process.stderr.write(`${shown.join('\n')}\n`)
  }
}

/** One line; all of it for those who ask. */
function reportBug(error: unknown): void {
  process.exitCode = bugExitCode
  const whole = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (process.env['DEBUG'] === 'loopwright') process.stderr.write(`${whole}\n`)
  else {
    const message = error instanceof Error ? error.message : String(error)
    const text = `unexpected: ${message} (DEBUG=loopwright shows where.)`
    const shown = wantsJson()
      ? JSON.stringify({ error: { code: 'bug', message: text } })
      : `loopctl: ${visible(text)}`
    process.stderr.write(`${shown}\n`)
  }
}

/** A reader who has seen enough, as `head` does, is no error. */
function endAtBrokenOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`loopctl: the output cannot be written: ${error.message}\n`)
  process.exit(outputExitCode)
}
