/**
 * A check that is a command: met when it exits with 0 within its limits, and never otherwise. One that
 * could not run has not answered (`error`).
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
   * What runs it. Default: no sandbox. A sandbox is made for one folder, and work is certified in another:
   * say them for the folder that is asked about.
   */
  readonly commands?: Commands | ((workspace: string) => Commands)
}

/**
 * What a pipe is; some runners colour without it. Not NO_COLOR or FORCE_COLOR: tests of colours set one of
 * them, and would find the other.
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
    // Killed by a signal: whatever it was about to say, nobody knows.
    if (exitCode === undefined) return { status: 'error', ...found }
    // What was refused something may have passed over it.
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
    : `\n[It met its limit of ${exceeded}: sandbox.limits of the loop file has another.]`
