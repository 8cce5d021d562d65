/** Describes what a loop file may do, for the user who is asked to trust it. */

import { plural } from '../../loop/excerpt/plural.ts'
import {
  type AcpPermissions,
  type AgentSettings,
  builtInToolNames,
  type CertifySettings,
  type CheckWords,
  describeCheckPower,
  type LoopFile,
  type McpServer,
  makerRole,
  type SandboxSettings,
  type WorktreeSettings,
} from '../../protocol/index.ts'
import { branchPrefixDefault, carryRulesDefault } from '../../system/worktree-defaults.ts'
import { describeActionPowers } from './describe-action-powers.ts'
import { oneLine } from './loop-file-error.ts'

const lineCharsMax = 1000
const linesMax = 60

/** Each is one line without control characters, whatever the file contains. */
export function describePowers(file: LoopFile): readonly string[] {
  const lines = [
    ...placePowers(file),
    ...Object.keys(file.agents).flatMap((role) => rolePowers(role, file)),
    ...toolPowers(file),
    ...Object.entries(file.mcp).flatMap(([name, server]) => serverPowers(name, server)),
    ...Object.entries(file.checks).map(([name, check]) =>
      describeCheckPower(name, check, checkWords),
    ),
    ...certifyPowers(file.certify),
    ...describeActionPowers(file),
    ...sandboxPowers(file.sandbox),
    `may use ${runLimits(file)}`,
  ]
  const shown = lines.slice(0, linesMax).map((line) => shortened(oneLine(line)))
  return lines.length > linesMax ? [...shown, `and ${lines.length - linesMax} more`] : shown
}

/** Does not check whether the folder is a repository, since the trust is valid for any folder. */
function placePowers({ workspace, worktree }: LoopFile): string[] {
  const folder = workspace === undefined ? 'the folder where it is run' : shell([workspace])
  const { use, path, branchPrefix = branchPrefixDefault } = worktree
  if (use === false) return [`works directly in ${folder}`]
  const made = `separate git worktree, on a branch ${shell([branchPrefix])}…, and commits each iteration there`
  return [
    use === true
      ? `works in ${folder}: in a ${made}`
      : `works in ${folder}; if that is a git repository, in a ${made}`,
    ...(path === undefined ? [] : [`creates git worktrees at ${shell([path])}`]),
    ...carryPowers(worktree),
  ]
}

/** Ignored files such as `.env` may contain secrets. */
function carryPowers({ carry = carryRulesDefault }: WorktreeSettings): string[] {
  const paths = (wanted: string): string[] =>
    carry.filter(({ by }) => by === wanted).map((rule) => rule.path.replace(/^\*\*\//, ''))
  const [copied, linked] = [paths('copy'), paths('link')]
  return [
    ...(copied.length === 0 ? [] : [`copies ignored files into the worktree: ${named(copied)}`]),
    ...(linked.length === 0 ? [] : [`links ignored files into the worktree: ${named(linked)}`]),
  ]
}

const named = (paths: readonly string[]): string =>
  paths.map((path) => (/^[\w@%+=:./*-]+$/.test(path) ? path : JSON.stringify(path))).join(', ')

const ownLogin =
  'runs the agent with its own login, outside the sandbox: it has network access and your permissions, and its cost is not counted'

/** The maker is "the agent"; lines about other agents name their role. */
function rolePowers(role: string, { agents, readers, apart = [] }: LoopFile): string[] {
  const agent = agents[role]
  if (agent === undefined) return []
  if (role === makerRole) return agentPowers(agent)
  if (!readers.includes(role)) return agentPowers(agent).map((line) => `as ${role}: ${line}`)
  const isSame = agent === agents[makerRole]
  const limit = apart.includes(role) ? 'sees only its prompt' : 'may only read'
  return [`asks ${isSame ? 'the same agent' : readerLine(agent)} as ${role}, which ${limit}`]
}

function agentPowers(agent: AgentSettings): string[] {
  switch (agent.type) {
    case 'command':
      return [
        `runs the agent: ${shell(agent.command)}${passed(agent.env)}`,
        ...(agent.subscription ? [ownLogin] : []),
      ]
    case 'program':
      return [
        `runs the agent: ${shell([agent.program, ...agent.args])}${asked(agent)}${passed(agent.env)}`,
        ...(agent.subscription ? [ownLogin] : []),
      ]
    case 'acp': {
      const command = typeof agent.acp === 'string' ? [agent.acp, ...agent.args] : agent.acp
      return [
        `runs the agent by ACP: ${shell(command)}${asked(agent)}${passed(agent.env)}`,
        permissionWords[agent.permissions],
        ...(agent.subscription ? [ownLogin] : []),
      ]
    }
    case 'repair':
      return ['tries small edits of the source until the checks pass, without a model']
    case 'model': {
      const where = agent.baseUrl === undefined ? '' : ` at ${agent.baseUrl}`
      const by = agent.apiKeyEnv === undefined ? '' : `, with the key in ${agent.apiKeyEnv}`
      return [`sends prompts and tool output to ${agent.model}${where}${by}`]
    }
    case 'script': {
      const turns = agent.script.flat()
      const calls = turns.flatMap((turn) => ('call' in turn ? [turn.call] : []))
      return [`plays a script that calls ${calls.length === 0 ? 'nothing' : listed(calls)}`]
    }
  }
}

const asked = ({ model }: { readonly model?: string }): string =>
  model === undefined ? '' : `, with the model ${model}`

const permissionWords: Readonly<Record<AcpPermissions, string>> = {
  all: 'grants every permission that the agent requests',
  edits: 'grants requests of the agent to edit files, but not to run commands',
  reads: 'grants only requests of the agent to read',
  none: 'grants no permission that the agent requests',
}

function toolPowers({ agents, readers, tools, mcp }: LoopFile): string[] {
  const callers = Object.entries(agents).filter(
    ([role, { type }]) => !readers.includes(role) && (type === 'model' || type === 'script'),
  )
  if (callers.length === 0) return []
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

const checkWords: CheckWords = {
  command: (command) => commandLine(command),
  env: (env) => given(env),
  agent: (agent) => readerLine(agent),
}

function certifyPowers({ dependencies, installScripts, consult }: CertifySettings): string[] {
  return [
    ...(dependencies === 'install' || dependencies === 'resolve'
      ? ['installs dependencies from the lockfiles of the project, to certify the work']
      : []),
    ...(installScripts.length === 0
      ? []
      : [`runs the install scripts of ${installScripts.join(', ')} in the sandbox`]),
    ...consult.map(({ name, agent }) => `asks ${readerLine(agent)} for the consultation ${name}`),
  ]
}

/** Judges can only read. */
function readerLine(agent: AgentSettings): string {
  switch (agent.type) {
    case 'command':
      return `the command ${shell(agent.command)}${passed(agent.env)}`
    case 'program':
      return `${shell([agent.program, ...agent.args])}${asked(agent)}${passed(agent.env)}`
    case 'acp': {
      const command = typeof agent.acp === 'string' ? [agent.acp, ...agent.args] : agent.acp
      return `${shell(command)} by ACP${asked(agent)}${passed(agent.env)}`
    }
    case 'model':
      return `${agent.model}${agent.baseUrl === undefined ? '' : ` at ${agent.baseUrl}`}, which may read the workspace,`
    case 'repair':
    case 'script':
      return `a ${agent.type} agent`
  }
}

/** One line for the default sandbox, and one for each setting that widens it. */
function sandboxPowers({ require, readOnly, hide, network, limits }: SandboxSettings): string[] {
  if (require === 'none') {
    return ['runs commands without a sandbox: they have network access and your permissions']
  }
  const tier = require === undefined ? 'if available' : `at least tier ${require}`
  const hidden = hide.length === 0 ? '' : ` except ${shell(hide)}`
  return [
    `runs commands in a sandbox (${tier}) with the workspace${hidden}${network.length === 0 ? ', without network' : ''}`,
    ...(readOnly.length === 0 ? [] : [`lets commands read ${shell(readOnly)}`]),
    ...(network.length === 0 ? [] : [`lets commands connect to ${network.join(', ')}`]),
    ...(Object.keys(limits).length === 0 ? [] : [`lets each command use ${commandLimits(limits)}`]),
  ]
}

const gigabytes = (bytes: number): string => `${Number((bytes / 1024 ** 3).toFixed(3))} GB`

const limitWords: {
  readonly [Name in keyof SandboxSettings['limits']]-?: (value: number) => string
} = {
  memoryBytes: (bytes) => `${gigabytes(bytes)} of memory`,
  processes: (count) => `${count} processes`,
  cpus: (count) => `${count} processors`,
  cpuSeconds: (seconds) => `${seconds} s of CPU time`,
  fileBytes: (bytes) => `files of ${gigabytes(bytes)}`,
  outputBytes: (bytes) => `${gigabytes(bytes)} of output`,
  tmpBytes: (bytes) => `${gigabytes(bytes)} of temporary files`,
  workspaceBytes: (bytes) => `${gigabytes(bytes)} more in the workspace`,
}

function commandLimits(limits: SandboxSettings['limits']): string {
  const names = Object.keys(limitWords) as (keyof typeof limitWords)[]
  return names
    .flatMap((name) => (limits[name] === undefined ? [] : [limitWords[name](limits[name])]))
    .join(', ')
}

const passed = (variables: readonly string[]): string =>
  variables.length === 0 ? '' : `, with ${listed(variables)} from your environment`

const given = (env: Readonly<Record<string, string>>): string =>
  Object.keys(env).length === 0 ? '' : `, with ${listed(Object.keys(env))} set`

const listed = (names: readonly string[]): string => [...new Set(names)].join(', ')

function runLimits({ limits: { iterations, tokens, costMicros, timeMs } }: LoopFile): string {
  const cost = `$${(costMicros / 1_000_000).toFixed(2)}`
  const minutes = timeMs / 60_000
  const time =
    minutes < 120 ? `${Number(minutes.toFixed(1))} min` : `${Number((minutes / 60).toFixed(1))} h`
  return `${plural(iterations, 'iteration')}, ${plural(tokens, 'token')}, ${cost}, ${time}`
}

/** Shows a shell script as it is, without quoting it. */
function commandLine(command: readonly string[]): string {
  const [program, flag, text, ...rest] = command
  const isShell = program === '/bin/sh' && flag === '-c' && text !== undefined && rest.length === 0
  return isShell ? text : shell(command)
}

const shell = (command: readonly string[]): string =>
  command.map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part))).join(' ')

/** Shows the start and the end of a long line. */
function shortened(line: string): string {
  if (line.length <= lineCharsMax) return line
  return `${line.slice(0, lineCharsMax / 2)} … (${line.length} characters) … ${line.slice(-lineCharsMax / 2)}`
}
