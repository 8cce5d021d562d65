/** The agent that a loop file names, led to its models through the gateway. It never has a key. */

import {
  type Agent,
  commandAgent,
  describeModel,
  missingKey,
  scriptedAgent,
} from '../agents/index.ts'
import {
  agentEnvironment,
  isLocal,
  publicProviders,
  type Session,
  type SessionOptions,
  keyVariables as variablesOf,
} from '../gateway/index.ts'
import { LoopError } from '../loop/index.ts'
import type { AgentSettings, CommandAgentSettings, ModelAgentSettings } from '../protocol/index.ts'
import type { Environment, OpenPlace } from './loaded-loop.ts'
import { meteredAgent } from './metered-agent.ts'
import { type ModelDoor, ownAddresses } from './model-door.ts'
import { type CommandChecks, openRepair } from './open-repair.ts'
import type { OpenWalls } from './open-walls.ts'
import { passOn } from './pass-on.ts'

export interface AgentParts {
  readonly place: Pick<OpenPlace, 'attended' | 'replay'>
  readonly walls: OpenWalls
  readonly models: ModelDoor
  readonly environment: Environment
  /** Those of the loop file that are commands. */
  readonly checks: CommandChecks
  /** What is missing and can be done without is added here. */
  readonly problems: string[]
}

export async function openAgent(settings: AgentSettings, parts: AgentParts): Promise<Agent> {
  // What is wrong with keys or addresses is better said before there is a run.
  const asksModels =
    settings.type === 'model' || (settings.type === 'command' && !settings.subscription)
  if (asksModels && parts.place.replay === undefined) await parts.models.gateway()
  switch (settings.type) {
    case 'script':
      return scriptedAgent(settings.script)
    case 'command':
      return settings.subscription ? openSubscriber(settings, parts) : openCommand(settings, parts)
    case 'model':
      return openModel(settings, parts)
    case 'repair':
      return openRepair(settings, parts.checks, parts.walls)
    case 'program':
    case 'acp':
      throw new LoopError('not-available', 'Agent programs are not there yet.')
  }
}

/** It has a login of its own, so it needs its home and the network: there are no walls around it. */
function openSubscriber(settings: CommandAgentSettings, parts: AgentParts): Agent {
  const { command, timeoutMs } = settings
  const { place, walls, environment, problems } = parts
  if (place.replay !== undefined) throw notReplayed(settings)
  if (place.attended !== true) throw notWatched(settings)
  if (walls.isRequired) throw notWalled(settings)
  const env = passOn('the agent', settings.env, environment, problems)
  const { bareCommands } = walls
  problems.push(
    'the agent works outside the sandbox (agent.subscription), with your files and network.',
  )
  return commandAgent({ command, commands: bareCommands, timeoutMs, env, spending: 'subscription' })
}

const notWatched = ({ command: [program] }: CommandAgentSettings): LoopError =>
  new LoopError(
    'not-available',
    `${program} works on a login of its own (agent.subscription), outside the sandbox, and nobody ` +
      'watches this run. Use an API key instead, or be there: run it at a terminal, or say --attended.',
  )

const notWalled = ({ command: [program] }: CommandAgentSettings): LoopError =>
  new LoopError(
    'bad-loop-file',
    `${program} works on a login of its own (agent.subscription), outside the sandbox, and the loop ` +
      'file requires one (sandbox.require). Take one of the two out.',
  )

const notReplayed = ({ command: [program] }: CommandAgentSettings): LoopError =>
  new LoopError(
    'bad-request',
    `${program} works on a login of its own (agent.subscription): nothing of what it asked is on ` +
      'record, so it cannot be replayed.',
  )

/** What it was told then names files of the run on record, which are still there. */
const notWalledIn = ({ command: [program] }: CommandAgentSettings): LoopError =>
  new LoopError(
    'not-available',
    `Without a sandbox ${program} would work on the files of the run that it does again, since the ` +
      'answers on record name them. See what is missing with: loopctl doctor',
  )

/** How long after a model's last word a program may go on without one. */
const lingerMs = 120_000

/** Whatever a loop file hands on, these are keys of providers, which stay here. */
const keyNames: readonly string[] = [
  ...Object.keys(publicProviders).flatMap(variablesOf),
  'ANTHROPIC_AUTH_TOKEN',
]

function openCommand(settings: CommandAgentSettings, parts: AgentParts): Agent {
  const { command, timeoutMs } = settings
  const { place, walls, models, environment, problems } = parts
  if (place.replay !== undefined && walls.walls.tier === 'none') throw notWalledIn(settings)
  const ours = new Set([...Object.keys(agentEnvironment('', '')), ...keyNames])
  const names = settings.env.filter((name) => !ours.has(name))
  const asKeys = settings.env.filter((name) => keyNames.includes(name))
  const env = passOn('the agent', names, environment, problems)
  return meteredAgent({
    gateway: () => models.gateway(),
    keyVariable: (provider) => variablesOf(provider)[0] ?? provider,
    secrets: Object.values(env),
    ...(place.replay === undefined ? {} : { replay: place.replay }),
    async make(session) {
      const { commands, url = session.url } = walls.agentCommands(command, session.socketPath)
      return commandAgent({
        command,
        commands,
        timeoutMs,
        env: {
          ...env,
          ...Object.fromEntries(asKeys.map((name) => [name, session.token])),
          ...agentEnvironment(url, session.token),
        },
        spending: 'gateway',
        mask: session.maskText,
        hasResult: () => isOver(session),
      })
    },
  })
}

function isOver({ activity }: Session): boolean {
  const { underWay, lastAnswer, lastAtMs } = activity
  return underWay === 0 && lastAnswer === 'final' && Date.now() - lastAtMs > lingerMs
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
    ...(place.replay === undefined ? {} : { replay: place.replay }),
    async make(session) {
      const { modelAgent, resolveModel } = await import('../agents/index.ts')
      const model = await resolveModel(id, {
        baseUrl: `${session.url}${provider === 'google' ? '/v1beta' : '/v1'}`,
        apiKeyEnv: tokenVariable,
        env: { [tokenVariable]: session.token },
      })
      const named = keyVariable === undefined ? {} : { keyVariable }
      return modelAgent({ ...model, ...named, ...rest, spending: 'gateway' })
    },
  })
}

/** Better said before a run is made than after. */
export async function requireKey(
  { model, baseUrl, apiKeyEnv }: ModelAgentSettings,
  { models, environment }: Pick<AgentParts, 'models' | 'environment'>,
): Promise<void> {
  const { provider, keyVariables } = describeModel(model, baseUrl)
  if (apiKeyEnv !== undefined) {
    if ((environment[apiKeyEnv] ?? '') === '') throw missingKey(model, apiKeyEnv)
    return
  }
  const [usual] = keyVariables
  if (usual === undefined) return
  if (baseUrl !== undefined && !isKnownAddress(provider, baseUrl, environment)) {
    throw new LoopError(
      'not-configured',
      `${model} is at ${new URL(baseUrl).host}, and ${usual} does not go there: name the variable ` +
        'that holds the key for it with apiKeyEnv.',
    )
  }
  if (!(await models.hasKey(provider))) throw missingKey(model, usual)
}

/** Where the gateway sends its own keys: a loop file cannot lead them elsewhere. */
function isKnownAddress(provider: string, baseUrl: string, environment: Environment): boolean {
  const { hostname, origin } = new URL(baseUrl)
  const own = new Map(ownAddresses(environment)).get(provider)
  const known = own ?? publicProviders[provider]?.baseUrl
  return isLocal(hostname) || (known !== undefined && new URL(known).origin === origin)
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
