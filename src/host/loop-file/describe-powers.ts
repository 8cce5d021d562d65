/** What a loop file may do, in a few lines for the person who is asked to trust it. */

import type { AgentSettings, LoopFile, McpServer } from '../../protocol/index.ts'
import { builtInToolNames } from '../../protocol/index.ts'
import { oneLine } from './loop-file-error.ts'

const lineCharsMax = 1000
const linesMax = 60

/** Each is one line without control characters, whatever the file says. */
export function describePowers(file: LoopFile): readonly string[] {
  const lines = [
    `works in ${file.workspace === undefined ? 'the folder where it is run' : shell([file.workspace])}`,
    ...agentPowers(file.agent),
    ...toolPowers(file),
    ...Object.entries(file.mcp).flatMap(([name, server]) => serverPowers(name, server)),
    ...Object.entries(file.checks).map(
      ([name, { command, env }]) => `runs the check ${name}: ${commandLine(command)}${given(env)}`,
    ),
    'commands are not isolated: they can reach the network and whatever you can',
    `may use ${limits(file)}`,
  ]
  const shown = lines.slice(0, linesMax).map((line) => shortened(oneLine(line)))
  return lines.length > linesMax ? [...shown, `and ${lines.length - linesMax} more`] : shown
}

function agentPowers(agent: AgentSettings): string[] {
  switch (agent.type) {
    case 'command':
      return [`runs the agent: ${shell(agent.command)}${passed(agent.env)}`]
    case 'model': {
      const where = agent.baseUrl === undefined ? '' : ` at ${agent.baseUrl}`
      const by = agent.apiKeyEnv === undefined ? '' : `, with the key in ${agent.apiKeyEnv}`
      return [`sends prompts and what tools return to ${agent.model}${where}${by}`]
    }
    case 'script': {
      const turns = agent.script.flat()
      const calls = turns.flatMap((turn) => ('call' in turn ? [turn.call] : []))
      return [`plays a script that calls ${calls.length === 0 ? 'nothing' : listed(calls)}`]
    }
  }
}

function toolPowers({ agent, tools, mcp }: LoopFile): string[] {
  if (agent.type === 'command') return []
  const servers = Object.keys(mcp).length > 0 ? ' and all of its MCP servers' : ''
  const names = tools ?? builtInToolNames
  const runs = names.includes('run') ? ' (run: any command)' : ''
  if (names.length === 0) return ['lets the agent call no tools']
  return [`lets the agent call ${listed(names)}${tools === undefined ? servers : ''}${runs}`]
}

function serverPowers(name: string, server: McpServer): string[] {
  if (server.type === 'stdio') {
    return [`starts the MCP server ${name}: ${shell(server.command)}${passed(server.env)}`]
  }
  const headers = Object.values(server.headers).join(' ')
  const variables = [...headers.matchAll(/\$\{(\w+)\}/g)].map(([, variable = '']) => variable)
  return [`connects to the MCP server ${name} at ${server.url}${passed(variables)}`]
}

const passed = (variables: readonly string[]): string =>
  variables.length === 0 ? '' : `, passing on ${listed(variables)} of your environment`

const given = (env: Readonly<Record<string, string>>): string =>
  Object.keys(env).length === 0 ? '' : `, setting ${listed(Object.keys(env))}`

const listed = (names: readonly string[]): string => [...new Set(names)].join(', ')

function limits({ limits: { iterations, tokens, costMicros, timeMs } }: LoopFile): string {
  const cost = `$${(costMicros / 1_000_000).toFixed(2)}`
  const minutes = timeMs / 60_000
  const time =
    minutes < 120 ? `${Number(minutes.toFixed(1))} min` : `${Number((minutes / 60).toFixed(1))} h`
  return `${iterations} iterations, ${tokens} tokens, ${cost}, ${time}`
}

/** A text that a shell runs is shown as it is. */
function commandLine(command: readonly string[]): string {
  const [program, flag, text, ...rest] = command
  const isShell = program === '/bin/sh' && flag === '-c' && text !== undefined && rest.length === 0
  return isShell ? text : shell(command)
}

const shell = (command: readonly string[]): string =>
  command.map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part))).join(' ')

/** The end of a long command line is as telling as its beginning. */
function shortened(line: string): string {
  if (line.length <= lineCharsMax) return line
  return `${line.slice(0, lineCharsMax / 2)} … (${line.length} characters) … ${line.slice(-lineCharsMax / 2)}`
}
