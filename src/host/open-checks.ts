/** The checks of a loop file, each as something that the engine can ask. */

import type { Check } from '../engine/index.ts'
import { LoopError } from '../loop/index.ts'
import type { CheckSettings, CommandCheckSettings } from '../protocol/index.ts'
import { commandCheck } from './command-check.ts'
import type { OpenWalls } from './open-walls.ts'

export function openChecks(
  checks: Readonly<Record<string, CheckSettings>>,
  walls: Pick<OpenWalls, 'commandsFor'>,
): Readonly<Record<string, Check>> {
  return Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [name, openCheck(name, check, walls)]),
  )
}

function openCheck(
  name: string,
  check: CheckSettings,
  walls: Pick<OpenWalls, 'commandsFor'>,
): Check {
  if (check.type === 'command') return openCommandCheck(check, walls)
  const message = `The check ${name} is no command. Write it as one: { run: … }.`
  throw new LoopError('not-available', message)
}

function openCommandCheck(
  { command, timeoutMs, env }: CommandCheckSettings,
  walls: Pick<OpenWalls, 'commandsFor'>,
): Check {
  const [program = '', ...args] = command
  return commandCheck(program, args, { timeoutMs, env, commands: walls.commandsFor(command) })
}
