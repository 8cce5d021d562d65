/** Opens the repair agent of a loop file, which makes the checks of the same file pass. */

import { type Agent } from '../../agents/index.ts'
import { repairAgent } from '../../agents/repair/repair-agent.ts'
import type { Command, Commands } from '../../engine/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import type { CommandCheckSettings, RepairAgentSettings } from '../../protocol/index.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'

type CheckCommand = Pick<CommandCheckSettings, 'command' | 'env' | 'timeoutMs'>

export type CommandChecks = Readonly<Record<string, CheckCommand>>

export function openRepair(
  { type: _type, ...settings }: RepairAgentSettings,
  checks: CommandChecks,
  sandbox: Pick<OpenedSandbox, 'commands' | 'commandsFor'>,
  sandboxPath?: string,
): Agent {
  const commandChecks = Object.values(checks)
  if (commandChecks.length === 0) {
    const message =
      'The repair agent needs a check that is a command, and the loop file has none. ' +
      'Add one, such as checks: { test: npm test }.'
    throw new LoopError('bad-loop-file', message)
  }
  return repairAgent({
    ...settings,
    checks: commandChecks.map(({ command }) => command),
    commands: createCheckCommands(commandChecks, sandbox),
    checkTimeoutMs: Math.max(...commandChecks.map(({ timeoutMs }) => timeoutMs)),
    ...defined({ sandboxPath }),
  })
}

/** Runs a check as the engine does; other commands get the variables of all checks. */
function createCheckCommands(
  checks: readonly CheckCommand[],
  sandbox: Pick<OpenedSandbox, 'commands' | 'commandsFor'>,
): Commands {
  const shared = Object.assign({}, ...checks.map(({ env }) => env)) as Record<string, string>
  return {
    run(command, signal) {
      const check = checks.find((one) => isSame(one, command))
      if (check === undefined) {
        return sandbox.commands.run({ ...command, env: { ...shared, ...command.env } }, signal)
      }
      const { env, timeoutMs } = check
      const limited = { ...command, timeoutMs: Math.min(timeoutMs, command.timeoutMs ?? timeoutMs) }
      return sandbox.commandsFor(check.command).run({ ...limited, env }, signal)
    },
  }
}

const isSame = ({ command: [program, ...args] }: CheckCommand, command: Command): boolean =>
  program === command.program &&
  args.length === command.args.length &&
  args.every((arg, index) => arg === command.args[index])
