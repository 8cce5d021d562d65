/**
 * Runs commands as plain processes, without a shell and without a sandbox. For trusted programs, and for
 * machines without a sandbox.
 *
 * A command leads a separate process group. When it ends, for any reason, all processes of the group are
 * killed; on Linux also those that left the group, by the mark in their environment. Only a process that leaves
 * the group and clears its environment escapes.
 *
 * The environment consists of the variables of the command, PATH, HOME, LANG and TMPDIR of this process, and
 * the mark.
 */

import { type ChildProcess, spawn as nodeSpawn, type SpawnOptions } from 'node:child_process'
import { type Command, type Commands } from '../engine/index.ts'
import { defined } from '../loop/index.ts'
import { baseEnvironment } from '../system/index.ts'
import { createMark, killAll, markVariable, signalGroup } from './process-group.ts'
import { type Launched, runCommand } from './run-command.ts'

export interface PlainCommandsOptions {
  readonly spawn?: Spawn
}

export type Spawn = (
  program: string,
  args: readonly string[],
  options: SpawnOptions,
) => ChildProcess

/** Runs commands without a sandbox. When a command ends, so does every process that it started. */
export function createPlainCommands({ spawn = nodeSpawn }: PlainCommandsOptions = {}): Commands {
  return { run: (command, signal) => runCommand((one) => launchPlain(one, spawn), command, signal) }
}

export function launchPlain(
  command: Command & { readonly keepsInput?: boolean },
  spawn: Spawn = nodeSpawn,
): Launched {
  const mark = createMark()
  const hasInput = command.input !== undefined || command.keepsInput === true
  const child = spawn(command.program, command.args, {
    detached: true,
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: { ...baseEnvironment(), ...command.env, [markVariable]: mark.value },
    ...defined({ cwd: command.cwd }),
  })
  const group = child.pid
  return {
    child,
    stop() {
      if (group !== undefined) signalGroup(group, 'SIGTERM')
    },
    kill: async () => (group === undefined ? [] : killAll(group, mark)),
  }
}
