/** Warnings about a loop file before it runs: missing programs, variables and paths. */

import { existsSync } from 'node:fs'
import { basename, delimiter, dirname, resolve } from 'node:path'
import { agentProgram } from '../agents/index.ts'
import { agentEnvironment } from '../gateway/index.ts'
import {
  type AgentSettings,
  type CommandAgentSettings,
  type LoopFile,
  makerRole,
  type SandboxSettings,
} from '../protocol/index.ts'
import { isExecutableFile as isExecutable } from '../sandbox/index.ts'
import type { Environment } from '../system/environment.ts'
import { acpProgram } from './agents/acp-program.ts'
import {
  explainInstall,
  findAgentProgram,
  type ProgramSearch,
  type ProgramToFind,
} from './agents/find-program.ts'

export function loopWarnings(
  { agents, sandbox }: Pick<LoopFile, 'agents' | 'sandbox'>,
  path: string,
  workspace: string,
  { environment, folder }: ProgramSearch,
): readonly string[] {
  return [
    ...(existsSync(workspace) ? [] : [`workspace: there is no folder ${workspace}.`]),
    ...differentAgents(agents).flatMap(([key, agent]) =>
      agentWarnings(key, agent, workspace, { environment, folder }),
    ),
    ...sandboxWarnings(sandbox, dirname(path), workspace),
  ]
}

/** Each agent once, with its key in the loop file. */
export const differentAgents = (
  agents: LoopFile['agents'],
): readonly (readonly [key: string, agent: AgentSettings])[] =>
  Object.entries(agents)
    .filter(([, agent], at, all) => all.findIndex(([, other]) => other === agent) === at)
    .map(([role, agent]) => [role === makerRole ? 'agent' : `agents.${role}`, agent])

const agentWarnings = (
  key: string,
  agent: AgentSettings,
  workspace: string,
  at: ProgramSearch,
): readonly string[] => [
  ...missingAgents(key, agent, workspace, at),
  ...('env' in agent ? variableWarnings(key, agent, at) : []),
]

/** Programs of the agents that are not installed. */
export function missingAgents(
  key: string,
  agent: AgentSettings,
  workspace: string,
  at: ProgramSearch,
): readonly string[] {
  switch (agent.type) {
    case 'command':
      return missingProgram(`${key}.command`, agent.command, workspace, at)
    case 'program': {
      const where = { ...at, projectFolders: [workspace], isUnsandboxed: agent.subscription }
      return missingAgent(key, agentProgram(agent.program), where)
    }
    case 'acp': {
      if (typeof agent.acp !== 'string') {
        return missingProgram(`${key}.acp`, agent.acp, workspace, at)
      }
      const wanted = acpProgram(agentProgram(agent.acp))
      return wanted === undefined
        ? []
        : missingAgent(key, wanted, { ...at, projectFolders: [workspace] })
    }
    default:
      return []
  }
}

const missingAgent = (key: string, wanted: ProgramToFind, at: ProgramSearch): readonly string[] =>
  findAgentProgram(wanted, at) === undefined ? [`${key}: ${explainInstall(wanted)}`] : []

/** The variables that point an agent to its session of the gateway. */
const sessionVariables = new Set(Object.keys(agentEnvironment('', '')))

const interpreters = /^(?:node|bun|deno|python[\d.]*|ruby|perl|php|sh|bash|zsh|fish)$/
/** Not an option, code or a name of a package. */
const scriptName = /^[^-].*\.[a-z]{1,4}$/

function missingProgram(
  key: string,
  [program = '', ...args]: readonly string[],
  workspace: string,
  { environment }: ProgramSearch,
): readonly string[] {
  if (isProgram(program, workspace, environment)) {
    const script = interpreters.test(basename(program)) ? args[0] : undefined
    if (script === undefined || !scriptName.test(script)) return []
    const path = resolve(workspace, script)
    return existsSync(path) ? [] : [`${key}: the script ${path} was not found: correct its path.`]
  }
  const path = resolve(workspace, program)
  if (program.includes('/') && existsSync(path)) {
    return [`${key}: ${path} is not executable. Run: chmod +x ${path}`]
  }
  return [`${key}: the program ${program} was not found: install it, or use its path.`]
}

function variableWarnings(
  key: string,
  { env, subscription }: Pick<CommandAgentSettings, 'env' | 'subscription'>,
  { environment }: ProgramSearch,
): readonly string[] {
  const taken = subscription ? [] : env.filter((name) => sessionVariables.has(name))
  const unset = env.filter((name) => !taken.includes(name) && environment[name] === undefined)
  return [
    ...taken.map(
      (name) =>
        `${key}.env: ${name} is not passed to the agent, because it points to the gateway. Remove it.`,
    ),
    ...unset.map((name) => `${key}.env: ${name} is not set, so the agent will not have it.`),
  ]
}

function isProgram(program: string, workspace: string, environment: Environment): boolean {
  const folders = program.includes('/') ? [workspace] : (environment['PATH'] ?? '').split(delimiter)
  return folders.some((folder) => isExecutable(resolve(folder, program)))
}

/** A misspelled path would leave the file visible. */
function sandboxWarnings(
  { readOnly, hide }: SandboxSettings,
  base: string,
  workspace: string,
): readonly string[] {
  return [
    ...readOnly
      .filter((path) => !existsSync(resolve(base, path)))
      .map((path) => `sandbox.readOnly: ${resolve(base, path)} does not exist.`),
    ...notHidden(hide, workspace),
  ]
}

/** Repeated when a run starts, which may be in another workspace. */
export const notHidden = (hide: readonly string[], workspace: string): readonly string[] =>
  (existsSync(workspace) ? hide : [])
    .filter((path) => !existsSync(resolve(workspace, path)))
    .map((path) => `sandbox.hide: ${path} does not exist in the workspace, so nothing is hidden.`)
