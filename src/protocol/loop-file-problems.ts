/** What a schema cannot say about a loop file: that its parts fit each other. Pure. */

import type {
  AcpAgentSettings,
  AgentSettings,
  CheckSettings,
  FileCondition,
  FileProblem,
  PlainFile,
  SandboxSettings,
} from './loop-file.ts'
import { quoted, unknownName } from './loop-file-issues.ts'
import type { WrittenLoopFile } from './loop-file-schema.ts'

/** The tools that are there without an MCP server. */
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

/** `own`: names of tools that are code of the file. */
export function loopFileProblems(
  file: WrittenLoopFile,
  nowMs: number,
  own: readonly string[] = [],
): FileProblem[] {
  return [
    ...sectionProblems(file.prompt),
    ...toolProblems(file),
    ...agentProblems(file),
    ...checkProblems(file),
    ...eachCheckProblems(file, own),
    ...consultProblems(file),
    ...sandboxProblems(file.sandbox),
    ...file.until.flatMap((condition, index) =>
      conditionProblems(condition, ['until', index], Object.keys(file.checks), nowMs),
    ),
    ...deadlineProblems(file.limits.deadlineAtMs, ['limits', 'deadline'], nowMs),
  ]
}

function sectionProblems(sections: PlainFile['prompt']): FileProblem[] {
  const names = sections.map(({ name }) => name)
  return duplicates(names).map((index) => ({
    path: ['prompt', index, 'name'],
    reason: `there are two sections named ${names[index]}: give this one another name`,
  }))
}

function toolProblems({ tools = [], mcp }: Pick<PlainFile, 'tools' | 'mcp'>): FileProblem[] {
  const servers = Object.keys(mcp)
  const twice = duplicates(tools).map((index) => ({
    path: ['tools', index],
    reason: `${tools[index]} is there twice: remove one`,
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
  return [{ path, reason: `there is no MCP server ${server}: describe it under mcp` }]
}

const wallLists = ['readOnly', 'hide', 'network'] as const

/** Of any loop file; the rest is about the built-in loop type. */
export function sandboxProblems(sandbox: SandboxSettings): FileProblem[] {
  const twice = wallLists.flatMap((name) =>
    duplicates(sandbox[name]).map((index) => ({
      path: ['sandbox', name, index],
      reason: `${quoted(sandbox[name][index] ?? '')} is there twice: remove one`,
    })),
  )
  if (sandbox.require !== 'none') return twice
  const idle = [
    ...wallLists.filter((name) => sandbox[name].length > 0),
    ...(Object.keys(sandbox.limits).length > 0 ? (['limits'] as const) : []),
  ]
  const reason =
    'with require: none there are no walls, so this would do nothing: remove one of the two'
  return [...twice, ...idle.map((name) => ({ path: ['sandbox', name], reason }))]
}

/** What is said about tools must hold for the agent that there is. */
function agentProblems(file: WrittenLoopFile): FileProblem[] {
  const { agent, tools, mcp } = file
  switch (agent.type) {
    case 'command':
    case 'program':
      return ownTools(file, 'an agent that is a command brings its own tools')
    case 'acp':
      return [
        ...ownTools(file, 'an agent that speaks ACP brings its own tools'),
        ...acpProblems(agent),
      ]
    case 'repair':
      return [
        ...ownTools(file, 'the repair agent calls no tools'),
        ...(Object.values(file.checks).some(isCommand) ? [] : [nothingToRepair]),
      ]
    case 'script':
      return agent.script.flatMap((turns, list) =>
        turns.flatMap((turn, index): FileProblem[] => {
          if (!('call' in turn)) return []
          const path = ['agent', 'script', list, index, 'call']
          if (tools === undefined) return unknownTool(turn.call, Object.keys(mcp), path)
          return tools.includes(turn.call)
            ? []
            : [{ path, reason: unknownName('tool', turn.call, tools) }]
        }),
      )
    case 'model':
      return []
  }
}

const nothingToRepair: FileProblem = {
  path: ['checks'],
  reason:
    'the repair agent needs a check that is a command and fails now: add one, such as test: npm test',
}

const isCommand = ({ type }: CheckSettings): boolean => type === 'command' || type === 'condition'

function ownTools(file: WrittenLoopFile, why: string): FileProblem[] {
  const { agent, tools, mcp } = file
  const theirs = `${why}, so this would do nothing`
  const servers = agent.type === 'repair' ? 'remove it' : 'tell the program of its servers'
  const idle = Object.keys(mcp).length > 0 && !hasOtherCallers(file)
  return [
    ...(tools === undefined ? [] : [{ path: ['tools'], reason: `${theirs}: remove it` }]),
    ...(idle ? [{ path: ['mcp'], reason: `${theirs}: ${servers}` }] : []),
  ]
}

/** Checks and judges call tools too. */
const hasOtherCallers = ({ checks, certify }: WrittenLoopFile): boolean =>
  Object.values(checks).some(
    (check) => check.type === 'tool' || (check.type === 'judge' && callsTools(check.agent)),
  ) || certify.consult.some(({ agent }) => callsTools(agent))

const callsTools = ({ type }: AgentSettings): boolean => type === 'model' || type === 'script'

/** Only of a program that is known it is known how it is told. */
function acpProblems({ acp, model, args }: AcpAgentSettings): FileProblem[] {
  if (typeof acp === 'string') return []
  return [
    ...(model === undefined
      ? []
      : [
          {
            path: ['agent', 'model'],
            reason: 'a command is told its model by its own arguments: put it into acp',
          },
        ]),
    ...(args.length === 0
      ? []
      : [
          { path: ['agent', 'args'], reason: 'a command has its arguments in acp: put them there' },
        ]),
  ]
}

function checkProblems({ agent, checks, until }: WrittenLoopFile): FileProblem[] {
  if (Object.keys(checks).length > 0 || !until.some(needsChecks)) return []
  // It needs them anyway, and says so.
  if (agent.type === 'repair') return []
  const reason =
    'there are no checks, so checks-pass can never be met and the run could not succeed: ' +
    'add one, such as test: npm test, or give until without checks-pass'
  return [{ path: ['checks'], reason }]
}

/** Of any loop file. */
export function eachCheckProblems(
  { checks, mcp }: Pick<PlainFile, 'checks' | 'mcp'>,
  own: readonly string[] = [],
): FileProblem[] {
  const servers = Object.keys(mcp)
  return Object.entries(checks).flatMap(([name, check]) => {
    if (check.type === 'judge') return readerProblems(check.agent, ['checks', name, 'judge'])
    if (check.type !== 'tool' || own.includes(check.tool)) return []
    return unknownTool(check.tool, servers, ['checks', name, 'tool'])
  })
}

/** Of any loop file. */
export function consultProblems({
  certify: { consult },
}: Pick<PlainFile, 'certify'>): FileProblem[] {
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

/** Whoever judges may only read, which is held by the tools that it has, or by walls. */
function readerProblems(agent: AgentSettings, path: readonly PropertyKey[]): FileProblem[] {
  if (agent.type === 'repair') {
    return [{ path, reason: 'the repair agent cannot judge: name another agent' }]
  }
  if ('subscription' in agent && agent.subscription) {
    const reason =
      'with a login of its own an agent is outside the walls, and could change what it judges: remove it'
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
      // Two keys of the path for each level.
      if (path.length > 2 * conditionDepthMax) {
        return [{ path, reason: `conditions are over ${conditionDepthMax} deep: make them flat` }]
      }
      return condition.of.flatMap((one, index) =>
        conditionProblems(one, [...path, 'of', index], checks, nowMs),
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
      return [{ path, reason: 'the budget is empty: give tokens, cost or time' }]
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
  return [{ path, reason: `the moment has passed (it is ${now} now): give a later one` }]
}

/** Where values stand that were there before. */
function duplicates(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []))
}
