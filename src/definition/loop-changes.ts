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
  const { model, prompt, checks, dependencies, policy } = changes
  if (prompt?.trim() === '') throw new LoopError('bad-request', 'The prompt must not be empty.')
  if (prompt !== undefined && prompt.length > promptCharsMax) {
    const message = `The prompt has ${prompt.length} characters; the limit is ${promptCharsMax}.`
    throw new LoopError('bad-request', `${message} Write it into a loop file.`)
  }
  return {
    ...defined({ model, prompt, dependencies }),
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

/** Adds the checks of the settings, and their model if the maker accepts one and has none. */
export function withSettings(
  { [makerRole]: agent }: LoopFile['agents'],
  { changes: given = {}, defaultModel, moreChecks, policy }: SettingsOfRun,
): LoopChanges {
  const changes = { ...defined({ checks: moreChecks, policy }), ...given }
  if (defaultModel === undefined || changes.model !== undefined || agent === undefined) {
    return changes
  }
  const acceptsModel =
    agent.type === 'program' || (agent.type === 'acp' && typeof agent.acp === 'string')
  return acceptsModel && agent.model === undefined && !agent.subscription
    ? { ...changes, model: defaultModel }
    : changes
}

type SettingsOfRun = Pick<LoadOptions, 'changes' | 'defaultModel' | 'moreChecks' | 'policy'>

/** Changes the model of the maker, and of roles that share its agent. */
export function changedAgents(
  agents: LoopFile['agents'],
  { model }: LoopChanges,
): LoopFile['agents'] {
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
