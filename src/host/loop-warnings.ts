/** What will be missed when a loop file runs, as far as it can be seen beforehand. */

import { existsSync } from 'node:fs'
import { delimiter, dirname, resolve } from 'node:path'
import { agentEnvironment } from '../gateway/index.ts'
import type { CommandAgentSettings, LoopFile, SandboxSettings } from '../protocol/index.ts'
import type { Environment } from './loaded-loop.ts'

export function loopWarnings(
  { agent, sandbox }: Pick<LoopFile, 'agent' | 'sandbox'>,
  path: string,
  workspace: string,
  environment: Environment,
): readonly string[] {
  return [
    ...(existsSync(workspace) ? [] : [`workspace: there is no folder ${workspace}.`]),
    ...(agent.type === 'command' ? commandWarnings(agent, workspace, environment) : []),
    ...sandboxWarnings(sandbox, dirname(path), workspace),
  ]
}

/** Where the clients of the providers look: an agent finds its session of the gateway there. */
const sessionVariables = new Set(Object.keys(agentEnvironment('', '')))

function commandWarnings(
  { command: [program = ''], env, subscription }: CommandAgentSettings,
  workspace: string,
  environment: Environment,
): readonly string[] {
  const taken = subscription ? [] : env.filter((name) => sessionVariables.has(name))
  const unset = env.filter((name) => !taken.includes(name) && environment[name] === undefined)
  return [
    ...(isProgram(program, workspace, environment)
      ? []
      : [`agent.command: there is no program ${program}: install it, or give its path.`]),
    ...taken.map(
      (name) => `agent.env: ${name} is not passed on: it leads to the gateway. Take it out.`,
    ),
    ...unset.map((name) => `agent.env: ${name} is not set, so the agent will not have it.`),
  ]
}

function isProgram(program: string, workspace: string, environment: Environment): boolean {
  const folders = program.includes('/') ? [workspace] : (environment['PATH'] ?? '').split(delimiter)
  return folders.some((folder) => existsSync(resolve(folder, program)))
}

/** A name that was written wrongly would show what was to be hidden. */
function sandboxWarnings(
  { readOnly, hide }: SandboxSettings,
  base: string,
  workspace: string,
): readonly string[] {
  return [
    ...readOnly
      .filter((path) => !existsSync(resolve(base, path)))
      .map((path) => `sandbox.readOnly: there is no ${resolve(base, path)}.`),
    ...notHidden(hide, workspace),
  ]
}

/** Also said when a run begins, which may be in another workspace. */
export const notHidden = (hide: readonly string[], workspace: string): readonly string[] =>
  (existsSync(workspace) ? hide : [])
    .filter((path) => !existsSync(resolve(workspace, path)))
    .map((path) => `sandbox.hide: there is no ${path} in the workspace, so nothing is hidden.`)
