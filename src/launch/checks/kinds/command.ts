/** A command of the loop file. */

import type { Check } from '../../../engine/index.ts'
import { findCommandFiles } from '../../../evidence/index.ts'
import type { CommandCheckSettings } from '../../../protocol/index.ts'
import type { CheckView } from '../../agents/command-view.ts'
import { observeCheck } from '../../certify/identity/observe-check.ts'
import type { CheckRunner, CheckSurroundings } from '../check-runner.ts'
import { commandCheck } from '../command-check.ts'
import { programDigest } from '../program-digest.ts'
import { hashSettings } from './fingerprint.ts'

export const commandKind: CheckRunner<CommandCheckSettings, CommandCheckSettings> = {
  plan: async (_name, { command }) => ({
    text: command.join(' ').replace(/^\/bin\/sh -c /, ''),
  }),
  resolve: async (_name, check) => check,
  open(_name, check, { sandbox, surroundings }) {
    const { command, timeoutMs, env } = check
    const fingerprint = hashSettings({ command, timeoutMs, around: surroundings(env) })
    return Object.assign(runCommand(check, sandbox), { timeoutMs, fingerprint })
  },
  describe: async (_name, { command }, { workspace, path }) => ({
    kind: 'command',
    command,
    toolDigest: await programDigest(command, workspace, path),
    names: findCommandFiles(command),
  }),
  filesNamed: ({ command }) => findCommandFiles(command),
  observe(check, { sandbox, identity, layerEnv }) {
    const observed = {
      identity,
      env: { ...layerEnv, ...check.env },
      open: (env: CommandCheckSettings['env'], prefix: readonly string[]) =>
        runCommand({ ...check, env }, sandbox, { shows: identity.shows, prefix }),
      ...(check.junit === undefined ? {} : { junit: check.junit }),
    }
    return (context, options) => observeCheck(observed, context, options)
  },
  env: ({ env }) => env,
  commands: (name, check) => ({ [name]: check }),
}

function runCommand(
  { command, env, timeoutMs }: CommandCheckSettings,
  sandbox: CheckSurroundings['sandbox'],
  { shows, prefix = [] }: CheckView = {},
): Check {
  const [program = '', ...args] = [...prefix, ...command]
  return commandCheck(program, args, {
    timeoutMs,
    env,
    commands: sandbox.commandsFor(command, shows),
  })
}
