/** The names of the environment variables that a loop uses; the CLI sends their values with a request. */

import type { ScannedLoop } from '../definition/code-loop/scan-code-loop.ts'
import {
  type ActionSettings,
  type AgentSettings,
  checkAgent,
  type DeliverySink,
  type LoopFile,
  type McpServer,
} from '../protocol/index.ts'
import { providerVariables } from './run-environment.ts'

export function neededVariables({
  agents,
  mcp,
  checks,
  certify,
  actions,
  proposes,
  delivers = [],
}: LoopFile): readonly string[] {
  const judges = Object.values(checks).flatMap((check) => checkAgent(check)?.agent ?? [])
  const consulted = certify.consult.map((one) => one.agent)
  return unique([
    ...[...Object.values(agents), ...judges, ...consulted].flatMap(variablesOfAgent),
    ...Object.values(mcp).flatMap(variablesOfServer),
    ...[...actions, ...proposedActions(proposes)].flatMap(variablesOfAction),
    ...delivers.flatMap(variablesOfSink),
  ])
}

const proposedActions = (proposes: LoopFile['proposes']): readonly ActionSettings[] =>
  proposes === undefined || proposes.kind === 'report' || proposes.kind === 'edit-artifacts'
    ? []
    : [proposes]

/** Which variables code reads is known only at run time, so every string literal that could be one counts. */
export const variablesOfCode = ({ modules }: Pick<ScannedLoop, 'modules'>): readonly string[] =>
  unique([
    ...providerVariables(),
    ...modules.flatMap(({ source }) =>
      [...source.matchAll(/(['"`])([A-Z][A-Z0-9_]{1,99})\1/g)].map(([, , name = '']) => name),
    ),
  ])

function variablesOfAgent(agent: AgentSettings): readonly string[] {
  switch (agent.type) {
    case 'script':
    case 'repair':
      return []
    case 'model':
      // All providers, because the command line may name another model.
      return [...(agent.apiKeyEnv === undefined ? [] : [agent.apiKeyEnv]), ...providerVariables()]
    case 'command':
    case 'program':
    case 'acp':
      return [...agent.env, ...(agent.subscription ? [] : providerVariables())]
  }
}

const variablesOfServer = (server: McpServer): readonly string[] =>
  server.type === 'stdio'
    ? server.env
    : Object.values(server.headers).flatMap((text) =>
        [...text.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(([, name = '']) => name),
      )

/** Which webhooks are allowed, and the credentials: they come from the environment of the user. */
function variablesOfAction(action: ActionSettings): readonly string[] {
  switch (action.kind) {
    case 'webhook':
      return [webhooksVariable, ...(action.tokenEnv === undefined ? [] : [action.tokenEnv])]
    case 'notify':
      return action.by.type === 'webhook' ? [webhooksVariable] : []
    case 'command':
      return action.env
    default:
      return []
  }
}

/** The mail command and its recipients are not among them: only the environment of the process that delivers has them. */
function variablesOfSink(sink: DeliverySink): readonly string[] {
  if (sink.type === 'slack') return [sink.urlEnv]
  if (sink.type !== 'webhook') return []
  return [webhooksVariable, ...(sink.secretEnv === undefined ? [] : [sink.secretEnv])]
}

/** URL prefixes that webhooks may be sent to, separated by spaces or commas. */
export const webhooksVariable = 'LOOPWRIGHT_WEBHOOKS'

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted()
