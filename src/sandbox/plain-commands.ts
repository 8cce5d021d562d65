/**
 * Commands as plain processes: no shell, and no walls either. For programs that are trusted, and for
 * machines without a sandbox.
 *
 * A command leads a process group of its own. When it has ended, however it ended, everything in
 * that group is killed; on Linux also what had left the group, by the mark in its environment. Only a
 * process that leaves the group and clears its environment gets away.
 *
 * The environment is what the command gives, over PATH, HOME, LANG and TMPDIR of this process, plus
 * the mark. Nothing else gets in.
 */

import { type ChildProcess, spawn as nodeSpawn, type SpawnOptions } from 'node:child_process'
import { type Command, type Commands } from '../engine/index.ts'
import { defined } from '../loop/index.ts'
import { baseEnvironment } from '../system/index.ts'
import { killAll, markVariable, newMark, signalGroup } from './process-group.ts'
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
  const mark = newMark()
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
