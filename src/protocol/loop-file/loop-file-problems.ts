/** What a schema cannot express about a loop file: whether its parts fit together. Pure. */

import { quoted, unknownName } from './issue-problems.ts'
import type {
  AcpAgentSettings,
  AgentSettings,
  CheckSettings,
  FileCondition,
  FileProblem,
  PlainFile,
  SandboxSettings,
} from './loop-file.ts'
import type { WrittenLoopFile } from './loop-file-schemas.ts'

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

/** `own`: the names of tools that the file defines in code. */
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

/** For every loop type. */
export function sandboxProblems(sandbox: SandboxSettings): FileProblem[] {
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

/** Settings about tools must fit the kind of agent. */
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
        ...(Object.values(file.checks).some(isCommand) ? [] : [missingCommandCheck]),
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

const missingCommandCheck: FileProblem = {
  path: ['checks'],
  reason:
    'the repair agent needs a check that is a command and fails now: add one, such as test: npm test',
}

const isCommand = ({ type }: CheckSettings): boolean => type === 'command' || type === 'condition'

function ownTools(file: WrittenLoopFile, why: string): FileProblem[] {
  const { agent, tools, mcp } = file
  const noEffect = `${why}, so this has no effect`
  const advice =
    agent.type === 'repair' ? 'remove it' : 'configure the servers in the program itself'
  const isUnused = Object.keys(mcp).length > 0 && !hasOtherCallers(file)
  return [
    ...(tools === undefined ? [] : [{ path: ['tools'], reason: `${noEffect}: remove it` }]),
    ...(isUnused ? [{ path: ['mcp'], reason: `${noEffect}: ${advice}` }] : []),
  ]
}

/** Checks and judges call tools too. */
const hasOtherCallers = ({ checks, certify }: WrittenLoopFile): boolean =>
  Object.values(checks).some(
    (check) => check.type === 'tool' || (check.type === 'judge' && callsTools(check.agent)),
  ) || certify.consult.some(({ agent }) => callsTools(agent))

const callsTools = ({ type }: AgentSettings): boolean => type === 'model' || type === 'script'

/** How to pass a model is only known for known programs. */
function acpProblems({ acp, model, args }: AcpAgentSettings): FileProblem[] {
  if (typeof acp === 'string') return []
  return [
    ...(model === undefined
      ? []
      : [
          {
            path: ['agent', 'model'],
            reason: 'a command takes its model as an argument: put it into acp',
          },
        ]),
    ...(args.length === 0
      ? []
      : [
          {
            path: ['agent', 'args'],
            reason: 'a command has its arguments in acp: move them there',
          },
        ]),
  ]
}

function checkProblems({ agent, checks, until }: WrittenLoopFile): FileProblem[] {
  if (Object.keys(checks).length > 0 || !until.some(needsChecks)) return []
  // That agent needs checks anyway, which `agentProblems` reports.
  if (agent.type === 'repair') return []
  const reason =
    'there are no checks, so checks-pass can never be met and the run could not succeed: ' +
    'add one, such as test: npm test, or use an until without checks-pass'
  return [{ path: ['checks'], reason }]
}

/** For every loop type. */
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

/** For every loop type. */
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
