/**
 * A check that runs a command. It is met only if the command exits with 0 within its limits. If the command could not
 * run, the result is `error`.
 */

import type { Check, CommandResult, Commands } from '../../engine/index.ts'
import { cannotRun } from '../../evidence/index.ts'
import { defined } from '../../loop/index.ts'
import { createPlainCommands } from '../../sandbox/index.ts'
import { createCheckOutput, withWhole } from './check-output.ts'

export interface CommandCheckOptions {
  readonly timeoutMs?: number
  readonly env?: Readonly<Record<string, string>>
  /**
   * Runs the command. Default: no sandbox. A sandbox is created for one folder, but work is certified in another, so
   * pass a function of the folder.
   */
  readonly commands?: Commands | ((workspace: string) => Commands)
}

/**
 * Keeps runners from coloring their output. Not NO_COLOR or FORCE_COLOR, because tests of colors set one of them and
 * would find the other.
 */
const plainTerminal = { TERM: 'dumb' }

/** A check that runs a command: exit code 0 is a pass. */
export function commandCheck(
  program: string,
  args: readonly string[],
  options: CommandCheckOptions = {},
): Check {
  const { timeoutMs, env, commands = createPlainCommands() } = options
  const check: Check = async ({ workspace, signal }) => {
    const printed = createCheckOutput()
    const here = typeof commands === 'function' ? commands(workspace ?? process.cwd()) : commands
    const result = await here.run(
      {
        program,
        args,
        onOutput: (chunk, stream) => printed.push(chunk, stream),
        ...defined({ cwd: workspace, timeoutMs }),
        env: { ...plainTerminal, ...env },
      },
      signal,
    )
    const output = `${printed.text(result)}${limitMet(result)}`
    const ends = `${result.stdout}${result.stderr}`
    const whole = `${printed.whole(result)}${limitMet(result)}`
    const found = { kind: 'command', ...withWhole(output, whole) } as const
    if (result.ended === 'timeout') return { status: 'timeout', ...found }
    const { exitCode } = result
    // Killed by a signal: its result is unknown.
    if (exitCode === undefined) return { status: 'error', ...found }
    // A command that hit a limit may have ignored the error.
    if (exitCode === 0 && result.exceeded !== undefined)
      return { status: 'error', exitCode, ...found }
    if (exitCode === 0) return { status: 'met', exitCode, ...found }
    const reason = cannotRun({ exitCode, output: ends })
    if (reason !== undefined) return { status: 'error', exitCode, cannotRun: reason, ...found }
    return { status: 'not-met', exitCode, ...found }
  }
  return Object.assign(check, { kind: 'command' as const })
}

const limitMet = ({ exceeded }: CommandResult): string =>
  exceeded === undefined
    ? ''
    : `\n[It exceeded its limit of ${exceeded}. Raise it in sandbox.limits of the loop file.]`
