/** Opens the agent of a loop file. It reaches its models through the gateway and never has a key. */

import {
  type Agent,
  commandAgent,
  describeModel,
  resolveModel,
  scriptedAgent,
} from '../../agents/index.ts'
import { agentEnvironment, publicProviders, type SessionOptions } from '../../gateway/index.ts'
import { defined } from '../../loop/index.ts'
import type {
  AgentSettings,
  CommandAgentSettings,
  ModelAgentSettings,
} from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import { findWorkspaceSecrets, readDaemonTokens } from '../../system/find-secrets.ts'
import { type AgentParts, type OpenedAgent, sandboxWorkspace } from './agent-parts.ts'
import { maskAgent } from './mask-agent.ts'
import { meteredAgent } from './metered-agent.ts'
import {
  isOver,
  meteredProgram,
  programVariables,
  requireSandboxedReplay,
} from './metered-program.ts'
import { pickVariables } from './pick-variables.ts'
import { requireCommand } from './require-command.ts'
import { requireKey } from './require-key.ts'
import { requireOwnLogin } from './require-own-login.ts'
import { withGitInstructions } from './with-git-instructions.ts'

export async function openAgent(settings: AgentSettings, parts: AgentParts): Promise<OpenedAgent> {
  const { workspace, checkout, folder, secrets: knownSecrets = [] } = parts.place
  const found = await findWorkspaceSecrets([workspace, checkout], parts.environment)
  const secrets = [...knownSecrets, ...(await readDaemonTokens(folder)), ...found]
  const plain = await openKind(settings, { ...parts, secrets })
  const opened = { ...plain, agent: maskAgent(plain.agent, secrets) }
  const readsPrompt = settings.type !== 'script' && settings.type !== 'repair'
  // Without a sandbox it could commit.
  if (!readsPrompt || parts.sandbox.summary.tier === 'none') return opened
  return { ...opened, agent: withGitInstructions(opened.agent) }
}

/** Each kind of agent is loaded when it is used. */
async function openKind(settings: AgentSettings, parts: AgentParts): Promise<OpenedAgent> {
  // Opens the gateway now, so that problems with keys or URLs are reported before there is a run.
  const usesModels =
    settings.type === 'model' || ('subscription' in settings && !settings.subscription)
  if (usesModels && parts.place.replay === undefined) await parts.models.gateway()
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
      const { openRepair } = await import('./open-repair.ts')
      const agent = openRepair(settings, parts.checks, parts.sandbox, sandboxWorkspace(parts))
      return { agent, used: { name: 'repair' } }
    }
    case 'program':
      return (await import('./open-program.ts')).openProgram(settings, parts)
    case 'acp':
      return (await import('./open-acp.ts')).openAcp(settings, parts)
  }
}

/** It uses the user's login, so it needs the home folder and the network: it runs without a sandbox. */
function openSubscriber(settings: CommandAgentSettings, parts: AgentParts): Agent {
  const { command, timeoutMs } = settings
  requireOwnLogin(command[0] ?? '', parts)
  const env = pickVariables('the agent', settings.env, parts.environment, parts.problems)
  const { bareCommands } = parts.sandbox
  return commandAgent({ command, commands: bareCommands, timeoutMs, env, spending: 'subscription' })
}

function openCommand(settings: CommandAgentSettings, parts: AgentParts): Agent {
  const { command, timeoutMs } = settings
  const { sandbox } = parts
  const program = programVariables(settings.env, parts)
  requireSandboxedReplay(command[0] ?? '', parts)
  return meteredProgram(program, parts, async (session) => {
    const { commands, url = session.url } = sandbox.agentCommands(command, session.socketPath)
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

/** The variable that passes the token of the session to our own client. */
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
    access: toAccess(settings, parts.environment),
    ...defined({ secrets: parts.secrets, replay: place.replay }),
    async make(session) {
      const { modelAgent } = await import('../../agents/model-agent.ts')
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

function toAccess(
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
