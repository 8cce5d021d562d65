/**
 * Overrides of a loop file for one run, such as another model or prompt. They are stored with the run, so that a resumed
 * run uses them again.
 */

import { defined, LoopError, type Source } from '../loop/index.ts'
import type { ReadPrompts } from '../loops/index.ts'
import {
  type AgentSettings,
  type CheckSettings,
  type LoopFile,
  makerRole,
} from '../protocol/index.ts'
import type { LoadOptions } from './load-options.ts'

export type LoopChanges = NonNullable<Source['changes']>

/** The prompt is stored in the first event of the run. */
const promptCharsMax = 200_000

export function requireChanges(changes: LoopChanges): LoopChanges {
  const { model, prompt, checks, dependencies, policy, defaults, agentTimeMs, models, merge } =
    changes
  if (prompt?.trim() === '') throw new LoopError('bad-request', 'The prompt must not be empty.')
  if (prompt !== undefined && prompt.length > promptCharsMax) {
    const message = `The prompt has ${prompt.length} characters; the limit is ${promptCharsMax}.`
    throw new LoopError('bad-request', `${message} Write it into a loop file.`)
  }
  return {
    ...defined({ model, prompt, dependencies, defaults, agentTimeMs, models, merge }),
    ...(hasFiles(policy) ? { policy } : {}),
    ...(checks === undefined || checks.commands.length === 0 ? {} : { checks }),
  }
}

const hasFiles = (policy: LoopChanges['policy'] = {}): boolean =>
  [policy.enforce, policy.monitor].some((files) => (files?.length ?? 0) > 0)

export const changedCertify = (
  certify: LoopFile['certify'],
  { dependencies = certify.dependencies }: LoopChanges,
): LoopFile['certify'] => ({ ...certify, dependencies })

const checkTimeoutMs = 600_000

/** The checks of the file, plus the commands of the settings under unused names. */
export function changedChecks(
  checks: LoopFile['checks'],
  { checks: { commands, timeoutMs = checkTimeoutMs } = { commands: [] } }: LoopChanges,
): LoopFile['checks'] {
  const taken = Object.keys(checks)
  const added = commands.map((command, index) => {
    const name = `verify-${index + 1}`
    const check: CheckSettings = {
      type: 'command',
      command: ['/bin/sh', '-c', command],
      env: {},
      timeoutMs,
      existing: 'ask',
      outputs: [],
    }
    return [taken.includes(name) ? `${name}-of-settings` : name, check] as const
  })
  return { ...checks, ...Object.fromEntries(added) }
}

/** Adds the settings that apply to the loop, and their model if the maker accepts one and has none. */
export function withSettings(
  { [makerRole]: agent, ...others }: LoopFile['agents'],
  settings: SettingsOfRun,
  loopType: string,
): LoopChanges {
  const { changes: given = {}, defaultModel, moreChecks, policy, agentTimeMs } = settings
  const models = modelsFor(others, agent, settings.models)
  const changes = {
    ...defined({ checks: moreChecks, policy, agentTimeMs, models }),
    ...defined({ defaults: settings.defaults?.[loopType] }),
    ...given,
  }
  if (defaultModel === undefined || changes.model !== undefined || agent === undefined) {
    return changes
  }
  return lacksModel(agent) ? { ...changes, model: defaultModel } : changes
}

/** Only for roles of the loop whose agent takes a model and names none. */
function modelsFor(
  agents: LoopFile['agents'],
  maker: AgentSettings | undefined,
  models: LoopChanges['models'] = {},
): LoopChanges['models'] {
  const used = Object.entries(models).filter(([role]) => {
    const agent = agents[role]
    return agent !== undefined && (lacksModel(agent) || agent === maker) && acceptsModel(agent)
  })
  return used.length === 0 ? undefined : Object.fromEntries(used)
}

const acceptsModel = (agent: AgentSettings): boolean =>
  agent.type === 'program' ||
  agent.type === 'model' ||
  (agent.type === 'acp' && typeof agent.acp === 'string')

const lacksModel = (agent: AgentSettings): boolean =>
  (agent.type === 'program' || (agent.type === 'acp' && typeof agent.acp === 'string')) &&
  agent.model === undefined &&
  !agent.subscription

type SettingsOfRun = Pick<
  LoadOptions,
  'changes' | 'defaultModel' | 'moreChecks' | 'policy' | 'defaults' | 'agentTimeMs' | 'models'
>

/** Changes the model of the maker, and of roles that share its agent; then those of other roles, and the times. */
export function changedAgents(
  agents: LoopFile['agents'],
  { model, models = {}, agentTimeMs }: LoopChanges,
): LoopFile['agents'] {
  const changed = Object.entries(withMakerModel(agents, model)).map(([role, agent]) => {
    const own = Object.hasOwn(models, role) ? models[role] : undefined
    const named = own === undefined ? agent : changedAgent(agent, own)
    return [role, withinTime(named, agentTimeMs)] as const
  })
  return Object.fromEntries(changed)
}

/** A limit of the configuration is an upper limit for the file. */
const withinTime = (agent: AgentSettings, timeMsMax: number | undefined): AgentSettings =>
  timeMsMax === undefined || !('timeoutMs' in agent)
    ? agent
    : { ...agent, timeoutMs: Math.min(agent.timeoutMs, timeMsMax) }

/** Where finished work is merged, as the command line says. */
export function changedActions(
  actions: LoopFile['actions'],
  { merge }: LoopChanges,
): LoopFile['actions'] {
  if (merge === undefined) return actions
  const { strategy, into } = merge
  if (strategy === 'none') return actions.filter(({ kind }) => kind !== 'merge')
  const changes = defined({ strategy, into })
  if (!actions.some(({ kind }) => kind === 'merge')) {
    return [{ kind: 'merge', strategy: 'squash', ...changes }, ...actions]
  }
  return actions.map((action) => (action.kind === 'merge' ? { ...action, ...changes } : action))
}

function withMakerModel(agents: LoopFile['agents'], model: string | undefined): LoopFile['agents'] {
  if (model === undefined) return agents
  const { [makerRole]: maker } = agents
  if (maker === undefined) {
    const roles = Object.keys(agents).join(', ')
    const message = `--model sets the model of the ${makerRole}, but this loop has only ${roles}. Remove --model.`
    throw new LoopError('bad-request', message)
  }
  const changed = changedAgent(maker, model)
  return Object.fromEntries(
    Object.entries(agents).map(([role, agent]) => [role, agent === maker ? changed : agent]),
  )
}

/** Drops the address and the key if the new model is from another provider. */
function changedAgent(agent: AgentSettings, model: string): AgentSettings {
  switch (agent.type) {
    case 'program':
      return { ...agent, model }
    case 'acp':
      if (typeof agent.acp === 'string') return { ...agent, model }
      throw ownModel(`the command "${agent.acp.join(' ')}"`)
    case 'command':
      throw ownModel(`the command "${agent.command.join(' ')}"`)
    case 'script':
      throw ownModel('a script')
    case 'repair':
      throw new LoopError('bad-request', 'The repair agent uses no model. Remove --model.')
    case 'model': {
      if (providerOf(model) === providerOf(agent.model)) return { ...agent, model }
      const { baseUrl: _baseUrl, apiKeyEnv: _apiKeyEnv, ...rest } = agent
      return { ...rest, model }
    }
  }
}

const providerOf = (model: string): string => model.slice(0, Math.max(0, model.indexOf('/')))

const ownModel = (what: string): LoopError =>
  new LoopError(
    'bad-request',
    `The agent of this loop is ${what}, which chooses its model itself. Set the model there, and ` +
      'remove --model.',
  )

/** Replaces the whole prompt with all its sections. */
export function changedPrompts(prompts: ReadPrompts, { prompt }: LoopChanges): ReadPrompts {
  if (prompt === undefined) return prompts
  if (!Object.hasOwn(prompts, 'prompt')) {
    const message = 'The loop type of this file has no key prompt. Remove --prompt.'
    throw new LoopError('bad-request', message)
  }
  const position = { file: '--prompt', line: 1, column: 1 }
  const whole = { priority: 100, stable: false, keep: 'start', required: false } as const
  return { ...prompts, prompt: [{ name: 'prompt', ...whole, text: prompt, position }] }
}

export const changedSource = (source: Source, changes: LoopChanges): Source =>
  Object.keys(changes).length === 0 ? source : { ...source, changes }
