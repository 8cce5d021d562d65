/** A check that is a command: met when it exits with 0, and never otherwise. */

import type { Check, CommandResult, Commands } from '../engine/index.ts'
import { keepEnd } from '../loop/index.ts'
import { createPlainCommands } from '../sandbox/index.ts'

export interface CommandCheckOptions {
  readonly timeoutMs?: number
  readonly env?: Readonly<Record<string, string>>
  readonly commands?: Commands
}

const outputCharsMax = 4000

export function commandCheck(
  program: string,
  args: readonly string[],
  options: CommandCheckOptions = {},
): Check {
  const { timeoutMs, env, commands = createPlainCommands() } = options
  return async ({ workspace, signal }) => {
    const result = await commands.run(
      {
        program,
        args,
        ...(workspace === undefined ? {} : { cwd: workspace }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(env === undefined ? {} : { env }),
      },
      signal,
    )
    const output = `${keepEnd(`${result.stdout}${result.stderr}`, outputCharsMax)}${limitMet(result)}`
    if (result.ended === 'timeout') return { status: 'timeout', output }
    if (result.exitCode === undefined) return { status: 'error', output }
    return {
      status: result.exitCode === 0 ? 'met' : 'not-met',
      exitCode: result.exitCode,
      output,
    }
  }
}

const limitMet = ({ exceeded }: CommandResult): string =>
  exceeded === undefined
    ? ''
    : `\n[It met its limit of ${exceeded}: sandbox.limits of the loop file has another.]`
