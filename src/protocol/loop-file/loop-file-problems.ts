/** What a schema cannot express about a loop file: whether its parts fit together. Pure. */

import { checkAgent, checkTool, runsCommands } from './check-kinds.ts'
import { quoted, unknownName } from './issue-problems.ts'
import { agentLimitProblems } from './limit-problems.ts'
import type {
  AgentSettings,
  FileCondition,
  FileProblem,
  LoopFile,
  PromptSection,
  SandboxSettings,
} from './loop-file.ts'
import { type LoopFileType, makerRole, type Unnamed } from './loop-file-type.ts'

/** The tools that need no MCP server. */
export const builtInToolNames: readonly string[] = [
  'read',
  'write',
  'edit',
  'list',
  'glob',
  'grep',
  'run',
]

const conditionDepthMax = 5

/** An agent and its path in the file. */
interface PlacedAgent {
  readonly agent: AgentSettings
  readonly path: readonly PropertyKey[]
}

type File = Unnamed<LoopFile>

/** `own`: the names of tools that the file defines in code. */
export function loopFileProblems(
  file: File,
  type: LoopFileType,
  nowMs: number,
  own: readonly string[] = [],
): readonly FileProblem[] {
  const shared = [
    ...sandboxProblems(file.sandbox),
    ...eachCheckProblems(file, own),
    ...consultProblems(file),
  ]
  // What else is wrong with a loop type that is code, only the code can tell.
  if (type.roles === 'any') return shared
  return [
    ...Object.entries(type.prompts?.(file.settings) ?? {}).flatMap(sectionProblems),
    ...toolProblems(file),
    ...agentProblems(file),
    ...checkProblems(file),
    ...shared,
    ...file.until.flatMap((condition, index) =>
      conditionProblems(condition, ['until', index], Object.keys(file.checks), nowMs),
    ),
    ...deadlineProblems(file.limits.deadlineAtMs, ['limits', 'deadline'], nowMs),
    ...agentLimitProblems(file),
    ...(type.problems?.(file) ?? []),
  ]
}

function sectionProblems([key, sections]: [string, readonly PromptSection[]]): FileProblem[] {
  const names = sections.map(({ name }) => name)
  return duplicates(names).map((index) => ({
    path: [key, index, 'name'],
    reason: `there are two sections named ${names[index]}: give this one another name`,
  }))
}

function toolProblems({ tools = [], mcp }: Pick<LoopFile, 'tools' | 'mcp'>): FileProblem[] {
  const servers = Object.keys(mcp)
  const twice = duplicates(tools).map((index) => ({
    path: ['tools', index],
    reason: `${tools[index]} is listed twice: remove one`,
  }))
  const unknown = tools.flatMap((name, index) => unknownTool(name, servers, ['tools', index]))
  return [...unknown, ...twice]
}

function unknownTool(
  name: string,
  servers: readonly string[],
  path: readonly PropertyKey[],
): FileProblem[] {
  const end = name.indexOf('__')
  if (end === -1) {
    if (builtInToolNames.includes(name)) return []
    return [{ path, reason: unknownName('tool', name, builtInToolNames) }]
  }
  const server = name.slice(0, end)
  if (servers.includes(server)) return []
  if (servers.length > 0) return [{ path, reason: unknownName('MCP server', server, servers) }]
  return [{ path, reason: `there is no MCP server ${server}: define it under mcp` }]
}

const sandboxLists = ['readOnly', 'hide', 'network'] as const

function sandboxProblems(sandbox: SandboxSettings): FileProblem[] {
  const repeated = sandboxLists.flatMap((name) =>
    duplicates(sandbox[name]).map((index) => ({
      path: ['sandbox', name, index],
      reason: `${quoted(sandbox[name][index] ?? '')} is listed twice: remove one`,
    })),
  )
  if (sandbox.require !== 'none') return repeated
  const unused = [
    ...sandboxLists.filter((name) => sandbox[name].length > 0),
    ...(Object.keys(sandbox.limits).length > 0 ? (['limits'] as const) : []),
  ]
  const reason =
    'with require: none there is no sandbox, so this has no effect: remove one of the two'
  return [...repeated, ...unused.map((name) => ({ path: ['sandbox', name], reason }))]
}

/** Where each agent is written; a role that falls back to the agent of another role has no place. */
function placedAgents({ agents }: File): readonly PlacedAgent[] {
  const entries = Object.entries(agents)
  return entries.flatMap(([role, agent], at) =>
    entries.findIndex(([, other]) => other === agent) === at
      ? [{ agent, path: role === makerRole ? ['agent'] : ['agents', role] }]
      : [],
  )
}

/** Settings about tools must fit the kinds of agents. */
function agentProblems(file: File): FileProblem[] {
  const agents = Object.values(file.agents)
  const placed = placedAgents(file)
  const [first] = agents
  return [
    ...(first === undefined || agents.some(callsTools) ? [] : ownTools(file, first)),
    ...(agents.some(({ type }) => type === 'repair') &&
    !Object.values(file.checks).some(runsCommands)
      ? [missingCommandCheck]
      : []),
    ...placed.flatMap((one) => [...acpProblems(one), ...scriptProblems(one, file)]),
    ...file.readers.flatMap((role) => {
      const agent = file.agents[role]
      // An agent that is shared with another role is not written here.
      const path = placed.find((one) => one.agent === agent && one.path.includes(role))?.path
      return agent === undefined ? [] : readerProblems(agent, path ?? ['agents', role])
    }),
  ]
}

function scriptProblems({ agent, path }: PlacedAgent, { tools, mcp }: File): FileProblem[] {
  if (agent.type !== 'script') return []
  return agent.script.flatMap((turns, list) =>
    turns.flatMap((turn, index): FileProblem[] => {
      if (!('call' in turn)) return []
      const at = [...path, 'script', list, index, 'call']
      if (tools === undefined) return unknownTool(turn.call, Object.keys(mcp), at)
      return tools.includes(turn.call)
        ? []
        : [{ path: at, reason: unknownName('tool', turn.call, tools) }]
    }),
  )
}

const missingCommandCheck: FileProblem = {
  path: ['checks'],
  reason:
    'the repair agent needs a check that is a command and fails now: add one, such as test: npm test',
}

/** Why `tools` and `mcp` would do nothing for an agent that does not call our tools. */
const ownToolsReasons: Readonly<Record<string, string>> = {
  command: 'an agent that is a command brings its own tools',
  program: 'an agent that is a command brings its own tools',
  acp: 'an agent that speaks ACP brings its own tools',
  repair: 'the repair agent calls no tools',
}

function ownTools(file: File, agent: AgentSettings): FileProblem[] {
  const { tools, mcp } = file
  const noEffect = `${ownToolsReasons[agent.type]}, so this has no effect`
  const advice =
    agent.type === 'repair' ? 'remove it' : 'configure the servers in the program itself'
  const isUnused = Object.keys(mcp).length > 0 && !hasOtherCallers(file)
  return [
    ...(tools === undefined ? [] : [{ path: ['tools'], reason: `${noEffect}: remove it` }]),
    ...(isUnused ? [{ path: ['mcp'], reason: `${noEffect}: ${advice}` }] : []),
  ]
}

/** Checks and judges call tools too. */
const hasOtherCallers = ({ checks, certify }: File): boolean =>
  Object.values(checks).some((check) => {
    const asked = checkAgent(check)
    return checkTool(check) !== undefined || (asked !== undefined && callsTools(asked.agent))
  }) || certify.consult.some(({ agent }) => callsTools(agent))

const callsTools = ({ type }: AgentSettings): boolean => type === 'model' || type === 'script'

/** How to pass a model is only known for known programs. */
function acpProblems({ agent, path }: PlacedAgent): FileProblem[] {
  if (agent.type !== 'acp' || typeof agent.acp === 'string') return []
  const { model, args } = agent
  return [
    ...(model === undefined
      ? []
      : [
          {
            path: [...path, 'model'],
            reason: 'a command takes its model as an argument: put it into acp',
          },
        ]),
    ...(args.length === 0
      ? []
      : [
          {
            path: [...path, 'args'],
            reason: 'a command has its arguments in acp: move them there',
          },
        ]),
  ]
}

function checkProblems({ agents, checks, until }: File): FileProblem[] {
  if (Object.keys(checks).length > 0 || !until.some(needsChecks)) return []
  // That agent needs checks anyway, which `agentProblems` reports.
  if (Object.values(agents).some(({ type }) => type === 'repair')) return []
  const reason =
    'there are no checks, so checks-pass can never be met and the run could not succeed: ' +
    'add one, such as test: npm test, or use an until without checks-pass'
  return [{ path: ['checks'], reason }]
}

function eachCheckProblems(
  { checks, mcp }: Pick<LoopFile, 'checks' | 'mcp'>,
  own: readonly string[] = [],
): FileProblem[] {
  const servers = Object.keys(mcp)
  return Object.entries(checks).flatMap(([name, check]) => {
    const [asked, called] = [checkAgent(check), checkTool(check)]
    return [
      ...(asked === undefined ? [] : readerProblems(asked.agent, ['checks', name, asked.key])),
      ...(called === undefined || own.includes(called.tool)
        ? []
        : unknownTool(called.tool, servers, ['checks', name, called.key])),
    ]
  })
}

function consultProblems({ certify: { consult } }: Pick<LoopFile, 'certify'>): FileProblem[] {
  const names = consult.map(({ name }) => name)
  return [
    ...duplicates(names).map((index) => ({
      path: ['certify', 'consult', index, 'name'],
      reason: `there are two consultations named ${names[index]}: give this one another name`,
    })),
    ...consult.flatMap(({ agent }, index) =>
      readerProblems(agent, ['certify', 'consult', index, 'agent']),
    ),
  ]
}

/** A judge may only read, which its tools or the sandbox enforce. */
function readerProblems(agent: AgentSettings, path: readonly PropertyKey[]): FileProblem[] {
  if (agent.type === 'repair') {
    return [{ path, reason: 'the repair agent cannot judge: name another agent' }]
  }
  if ('subscription' in agent && agent.subscription) {
    const reason =
      'an agent with its own login runs outside the sandbox, and could change what it judges: remove this key'
    return [{ path: [...path, 'subscription'], reason }]
  }
  return []
}

const needsChecks = (condition: FileCondition): boolean =>
  'of' in condition ? condition.of.some(needsChecks) : condition.type === 'checks-pass'

function conditionProblems(
  condition: FileCondition,
  path: readonly PropertyKey[],
  checks: readonly string[],
  nowMs: number,
): FileProblem[] {
  switch (condition.type) {
    case 'any':
    case 'all':
      // Each level adds two keys to the path.
      if (path.length > 2 * conditionDepthMax) {
        return [
          {
            path,
            reason: `conditions are nested more than ${conditionDepthMax} levels deep: flatten them`,
          },
        ]
      }
      return condition.of.flatMap((inner, index) =>
        conditionProblems(inner, [...path, 'of', index], checks, nowMs),
      )
    case 'checks-pass':
      if (checks.length === 0) return []
      return (condition.checks ?? []).flatMap((name, index) =>
        checks.includes(name)
          ? []
          : [{ path: [...path, 'checks', index], reason: unknownName('check', name, checks) }],
      )
    case 'deadline':
      return deadlineProblems(condition.atMs, [...path, 'at'], nowMs)
    case 'budget': {
      const { tokens, costMicros, timeMs } = condition
      if (tokens !== undefined || costMicros !== undefined || timeMs !== undefined) return []
      return [{ path, reason: 'the budget is empty: set tokens, cost or time' }]
    }
    default:
      return []
  }
}

function deadlineProblems(
  atMs: number | undefined,
  path: readonly PropertyKey[],
  nowMs: number,
): FileProblem[] {
  if (atMs === undefined || atMs > nowMs) return []
  const now = new Date(nowMs).toISOString()
  return [{ path, reason: `this time has passed (it is ${now} now): set a later one` }]
}

/** The positions of values that occur earlier in the list. */
function duplicates(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []))
}
