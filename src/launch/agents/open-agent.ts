/** The agent that a loop file names, led to its models through the gateway. It never has a key. */

import { type Agent, commandAgent, describeModel, scriptedAgent } from '../../agents/index.ts'
import { agentEnvironment, publicProviders, type SessionOptions } from '../../gateway/index.ts'
import { defined } from '../../loop/index.ts'
import type {
  AgentSettings,
  CommandAgentSettings,
  ModelAgentSettings,
} from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import { daemonTokens, workspaceSecrets } from '../../system/find-secrets.ts'
import { type AgentParts, folderInside, type OpenedAgent } from './agent-parts.ts'
import { toldOfGit } from './git-instructions.ts'
import { maskAgent } from './mask-agent.ts'
import { meteredAgent } from './metered-agent.ts'
import { isOver, meteredProgram, programVariables, requireWalledReplay } from './metered-program.ts'
import { requireKey } from './model-key.ts'
import { openAcp } from './open-acp.ts'
import { openProgram } from './open-program.ts'
import { openRepair } from './open-repair.ts'
import { requireOwnLogin } from './own-login.ts'
import { passOn } from './pass-on.ts'
import { requireCommand } from './require-command.ts'

export async function openAgent(settings: AgentSettings, parts: AgentParts): Promise<OpenedAgent> {
  const { workspace, checkout, folder, secrets: told = [] } = parts.place
  const found = await workspaceSecrets([workspace, checkout], parts.environment)
  const secrets = [...told, ...(await daemonTokens(folder)), ...found]
  const plain = await openKind(settings, { ...parts, secrets })
  const opened = { ...plain, agent: maskAgent(plain.agent, secrets) }
  const reads = settings.type !== 'script' && settings.type !== 'repair'
  // Without walls it could commit.
  if (!reads || parts.walls.walls.tier === 'none') return opened
  return { ...opened, agent: toldOfGit(opened.agent) }
}

async function openKind(settings: AgentSettings, parts: AgentParts): Promise<OpenedAgent> {
  // What is wrong with keys or addresses is better said before there is a run.
  const asksModels =
    settings.type === 'model' || ('subscription' in settings && !settings.subscription)
  if (asksModels && parts.place.replay === undefined) await parts.models.gateway()
  switch (settings.type) {
    case 'script':
      return { agent: scriptedAgent(settings.script) }
    case 'command':
      requireCommand(settings.command, parts)
      return {
        agent: settings.subscription
          ? openSubscriber(settings, parts)
          : openCommand(settings, parts),
        used: { name: settings.command[0] ?? '' },
      }
    case 'model':
      return { agent: await openModel(settings, parts), used: { name: settings.model } }
    case 'repair': {
      const agent = openRepair(settings, parts.checks, parts.walls, folderInside(parts))
      return { agent, used: { name: 'repair' } }
    }
    case 'program':
      return openProgram(settings, parts)
    case 'acp':
      return openAcp(settings, parts)
  }
}

/** It has a login of its own, so it needs its home and the network: there are no walls around it. */
function openSubscriber(settings: CommandAgentSettings, parts: AgentParts): Agent {
  const { command, timeoutMs } = settings
  requireOwnLogin(command[0] ?? '', parts)
  const env = passOn('the agent', settings.env, parts.environment, parts.problems)
  const { bareCommands } = parts.walls
  return commandAgent({ command, commands: bareCommands, timeoutMs, env, spending: 'subscription' })
}

function openCommand(settings: CommandAgentSettings, parts: AgentParts): Agent {
  const { command, timeoutMs } = settings
  const { walls } = parts
  const program = programVariables(settings.env, parts)
  requireWalledReplay(command[0] ?? '', parts)
  return meteredProgram(program, parts, async (session) => {
    const { commands, url = session.url } = walls.agentCommands(command, session.socketPath)
    return commandAgent({
      command,
      commands,
      timeoutMs,
      env: { ...program.given(session.token), ...agentEnvironment(url, session.token) },
      spending: 'gateway',
      mask: session.maskText,
      hasResult: () => isOver(session),
    })
  })
}

/** The variable by which our own client is told the token of its session. */
const tokenVariable = 'LOOPWRIGHT_SESSION'

async function openModel(settings: ModelAgentSettings, parts: AgentParts): Promise<Agent> {
  const { type: _type, model: id, baseUrl, apiKeyEnv, ...rest } = settings
  const { place, models } = parts
  const { provider, keyVariables } = describeModel(id, baseUrl)
  const [keyVariable] = apiKeyEnv === undefined ? keyVariables : [apiKeyEnv]
  if (place.replay === undefined) await requireKey(settings, parts)
  return meteredAgent({
    gateway: () => models.gateway(),
    keyVariable: () => keyVariable ?? `the key of ${provider}`,
    access: accessOf(settings, parts.environment),
    ...defined({ secrets: parts.secrets, replay: place.replay }),
    async make(session) {
      const { modelAgent, resolveModel } = await import('../../agents/index.ts')
      const model = await resolveModel(id, {
        baseUrl: `${session.url}${provider === 'google' ? '/v1beta' : '/v1'}`,
        apiKeyEnv: tokenVariable,
        env: { [tokenVariable]: session.token },
      })
      const named = defined({ keyVariable })
      return modelAgent({ ...model, ...named, ...rest, spending: 'gateway' })
    },
  })
}

function accessOf(
  { model, baseUrl, apiKeyEnv }: ModelAgentSettings,
  environment: Environment,
): Pick<SessionOptions, 'providers' | 'keys' | 'routes'> {
  const { provider } = describeModel(model, baseUrl)
  return {
    ...(baseUrl === undefined
      ? {}
      : { providers: { [provider]: { ...publicProviders[provider], baseUrl } } }),
    ...(provider === 'openai-compatible' ? { routes: { chat: provider } } : {}),
    ...(apiKeyEnv === undefined
      ? {}
      : { keys: (asked: string) => (asked === provider ? environment[apiKeyEnv] : undefined) }),
  }
}
