/** Runs a command of the loop file, in its sandbox. */

import { z } from 'zod'
import type { Actions, CommandResult, Commands } from '../../engine/index.ts'
import type { Signal } from '../../loop/index.ts'
import { done, failed, found, notDone, readDetails, unknown } from './executor.ts'

const argv = z.array(z.string()).min(1).readonly()
const detailsSchema = z.object({
  command: argv,
  find: argv.exactOptional(),
  env: z.array(z.string()).readonly().prefault([]),
  timeoutMs: z.int().positive().prefault(600_000),
})

export interface CommandPorts {
  /** Of the sandbox: a command of a repository never runs outside of it. */
  readonly commands: Commands
  readonly cwd: string | undefined
  readonly variable: (name: string) => string | undefined
}

const findTimeoutMs = 60_000
const shownChars = 2000

/** The command gets the idempotency key as `LOOPWRIGHT_ACTION_KEY`. */
export function commandExecutor({ commands, cwd, variable }: CommandPorts): Actions {
  const run = (
    [program = '', ...args]: readonly string[],
    env: readonly string[],
    key: string,
    limits: { readonly timeoutMs: number; readonly signal: Signal },
  ): Promise<CommandResult> => {
    const passed = env.flatMap((name) => {
      const value = variable(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    return commands.run(
      {
        program,
        args,
        env: { ...Object.fromEntries(passed), LOOPWRIGHT_ACTION_KEY: key },
        timeoutMs: limits.timeoutMs,
        outputBytesMax: 64 * 1024,
        ...(cwd === undefined ? {} : { cwd }),
      },
      limits.signal,
    )
  }
  return {
    async perform(action, key, { signal }) {
      const { command, env, timeoutMs } = readDetails(detailsSchema, action)
      const result = await run(command, env, key, { timeoutMs, signal })
      const output = `${result.stdout}\n${result.stderr}`.trim().slice(-shownChars)
      if (result.ended !== 'exited') throw new Error(`The command was ended (${result.ended}).`)
      if (result.exitCode !== 0) {
        throw failed(`The command exited with ${result.exitCode}: ${output}`)
      }
      return done(`ran ${command.join(' ')}`, { exitCode: 0, output })
    },
    async find(action, key, { signal }) {
      const { find, env } = readDetails(detailsSchema, action)
      if (find === undefined) return unknown
      const { ended, exitCode } = await run(find, env, key, { timeoutMs: findTimeoutMs, signal })
      if (ended !== 'exited') return unknown
      if (exitCode === 0) return found(`${find.join(' ')} found it`)
      return exitCode === 1 ? notDone : unknown
    },
  }
}
