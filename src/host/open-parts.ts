/** What a loop file says a run may use, made real: its agent, tools, MCP servers and checks. */

import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { type Agent, commandAgent, createAgents, scriptedAgent } from '../agents/index.ts'
import type { Check, Commands } from '../engine/index.ts'
import { didYouMean, LoopError } from '../loop/index.ts'
import type { AgentSettings, CheckCommand, LoopFile, McpServer } from '../protocol/index.ts'
import { createPlainCommands, killAll, markVariable, newMark } from '../sandbox/index.ts'
import {
  builtInTools,
  connectMcp,
  createTools,
  type MarkProcesses,
  type Tool,
} from '../tools/index.ts'
import type { CodeParts } from './code-loop/index.ts'
import { outputFolder } from './collect-garbage.ts'
import { commandCheck } from './command-check.ts'
import type { Environment, OpenedLoop, OpenPlace } from './loaded-loop.ts'
import { pathInside } from './places.ts'

/** The role that the built-in loop type `plain` asks for. */
const maker = 'maker'

export type FileParts = Pick<LoopFile, 'agent' | 'tools' | 'mcp' | 'checks' | 'exclude'>

export interface OpenedParts extends OpenedLoop {
  close(): Promise<void>
}

/** What the file has as code is put over what it has as data. */
export async function openParts(
  file: FileParts,
  place: OpenPlace,
  environment: Environment,
  code?: CodeParts,
): Promise<OpenedParts> {
  const commands = createPlainCommands()
  const problems: string[] = []
  const agent = code?.agent ?? (await openAgent(file.agent, commands, environment, problems))
  const mcp = await connectMcp(serversOf(file.mcp, environment, problems), {
    environment,
    markProcesses,
    ...(place.workspace === undefined ? {} : { cwd: place.workspace }),
    ...(place.signal === undefined ? {} : { signal: place.signal }),
  })
  try {
    problems.push(...mcp.problems.map(({ server, message }) => `MCP server ${server}: ${message}`))
    const all = [
      ...builtInTools({ commands, skip: file.exclude }),
      ...mcp.tools,
      ...(code?.tools ?? []),
    ]
    const { hooks, gate, actions } = code ?? {}
    return {
      parts: {
        agents: createAgents({ [maker]: agent }),
        tools: createTools({
          tools: chooseTools(all, file.tools),
          // Made when there is some.
          spillFolder: join(outputFolder(place.folder), uuidv7()),
        }),
        checks: { ...openChecks(file.checks, commands), ...code?.checks },
        exclude: [...file.exclude, ...apartIn(place)],
        ...(hooks === undefined ? {} : { hooks }),
        ...(gate === undefined ? {} : { gate }),
        ...(actions === undefined ? {} : { actions }),
      },
      problems,
      close: () => mcp.close(),
    }
  } catch (error) {
    await mcp.close()
    throw error
  }
}

/** Of the files that are apart, those in the workspace, as paths in it. */
function apartIn({ workspace, apart = [] }: OpenPlace): readonly string[] {
  if (workspace === undefined || !existsSync(workspace)) return []
  const root = realpathSync(workspace)
  return apart.flatMap((path) => {
    const inner = existsSync(path) ? pathInside(root, realpathSync(path)) : undefined
    return inner === undefined || inner === '.' ? [] : [inner]
  })
}

/** Servers are killed like commands, with all that they started. */
const markProcesses: MarkProcesses = () => {
  const mark = newMark()
  return {
    environment: { [markVariable]: mark.value },
    killAll: (group) => killAll(group, mark),
  }
}

function openChecks(
  checks: Readonly<Record<string, CheckCommand>>,
  commands: Commands,
): Readonly<Record<string, Check>> {
  return Object.fromEntries(
    Object.entries(checks).map(([name, { command, timeoutMs, env }]) => {
      const [program = '', ...args] = command
      return [name, commandCheck(program, args, { timeoutMs, env, commands })]
    }),
  )
}

async function openAgent(
  settings: AgentSettings,
  commands: Commands,
  environment: Environment,
  problems: string[],
): Promise<Agent> {
  switch (settings.type) {
    case 'script':
      return scriptedAgent(settings.script)
    case 'command': {
      const { command, timeoutMs } = settings
      const env = passOn('the agent', settings.env, environment, problems)
      return commandAgent({ command, commands, timeoutMs, env })
    }
    case 'model': {
      const { type: _type, model: id, baseUrl, apiKeyEnv, ...rest } = settings
      const { modelAgent, resolveModel } = await import('../agents/index.ts')
      const model = await resolveModel(id, {
        env: environment,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
      })
      return modelAgent({ ...model, ...rest })
    }
  }
}

function chooseTools(all: readonly Tool[], names: readonly string[] | undefined): readonly Tool[] {
  if (names === undefined) return all
  const known = new Map(all.map((tool) => [tool.name, tool]))
  return names.map((name) => {
    const tool = known.get(name)
    if (tool !== undefined) return tool
    const advice = didYouMean(name, known.keys()) || ` There are: ${[...known.keys()].join(', ')}.`
    const message = `The loop file names the tool "${name}", and there is none.${advice}`
    throw new LoopError('bad-loop-file', message)
  })
}

/** Variables by name. One that is not set is not given, and that is said. */
function passOn(
  whose: string,
  names: readonly string[],
  environment: Environment,
  problems: string[],
): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = environment[name]
    if (value !== undefined) return [[name, value]]
    problems.push(`${name}, which ${whose} is to be given, is not set.`)
    return []
  })
  return Object.fromEntries(entries)
}

function serversOf(
  servers: Readonly<Record<string, McpServer>>,
  environment: Environment,
  problems: string[],
): Parameters<typeof connectMcp>[0] {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      if (server.type === 'http') {
        return [name, { url: server.url, headers: fillHeaders(name, server.headers, environment) }]
      }
      const env = passOn(`the MCP server ${name}`, server.env, environment, problems)
      return [name, { command: server.command, env }]
    }),
  )
}

function fillHeaders(
  server: string,
  headers: Readonly<Record<string, string>>,
  environment: Environment,
): Record<string, string> {
  const fill = (header: string, text: string): string =>
    text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, variable: string) => {
      const value = environment[variable]
      if (value !== undefined) return value
      throw new LoopError(
        'not-configured',
        `The header "${header}" of the MCP server "${server}" needs ${variable}. Set it, and run the same command again.`,
      )
    })
  return Object.fromEntries(
    Object.entries(headers).map(([header, text]) => [header, fill(header, text)]),
  )
}
