/** Finds the agents that can be used on this machine. Starts no program, not even to ask its version. */

import { type AgentProgram, knownPrograms } from '../../agents/index.ts'
import { keyVariables } from '../../gateway/index.ts'
import type { Environment } from '../../system/environment.ts'
import { createSharedGateway } from '../shared-gateway.ts'
import { findAgentProgram } from './find-program.ts'

export interface AgentCandidate {
  /** The value for `--agent` and `init`: `claude`, `repair`, `anthropic/claude-sonnet-5`. */
  readonly name: string
  readonly kind: 'program' | 'built-in' | 'model'
  readonly state: 'ready' | 'no-key' | 'missing'
  /** The environment variable of its key. */
  readonly keyVariable?: string
}

export interface FindAgentsOptions {
  readonly environment?: Environment
  /** Folders in which agents work: their programs are not used. */
  readonly projectFolders?: readonly string[]
}

/** Agents that are ready come first. */
export async function findAgents(
  folder: string,
  { environment = process.env, projectFolders = [] }: FindAgentsOptions = {},
): Promise<readonly AgentCandidate[]> {
  const models = createSharedGateway(environment)
  // An unusable key file is reported by `doctor`.
  const hasKey = (provider: string): Promise<boolean> => models.hasKey(provider).catch(() => false)
  const programs = await Promise.all(
    knownPrograms().map(async (program): Promise<AgentCandidate> => {
      const found = findAgentProgram(program, { folder, environment, projectFolders })
      const keyed = await findProviderWithKey(program, hasKey)
      return {
        name: program.name,
        kind: 'program',
        state: found === undefined ? 'missing' : keyed === undefined ? 'no-key' : 'ready',
        keyVariable: keyVariables(keyed ?? program.provider)[0] ?? '',
      }
    }),
  )
  const offered = new Map(knownPrograms().map((one) => [one.provider, one.model]))
  const byModel = await Promise.all(
    [...offered].map(async ([provider, model]): Promise<AgentCandidate> => {
      const state = (await hasKey(provider)) ? 'ready' : 'no-key'
      const keyVariable = keyVariables(provider)[0] ?? ''
      return { name: `${provider}/${model}`, kind: 'model', state, keyVariable }
    }),
  )
  const repair: AgentCandidate = { name: 'repair', kind: 'built-in', state: 'ready' }
  const all = [...programs, ...byModel, repair]
  return all.toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state))
}

const states: readonly AgentCandidate['state'][] = ['ready', 'no-key', 'missing']

async function findProviderWithKey(
  { provider, otherProviders = [] }: AgentProgram,
  hasKey: (provider: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const one of [provider, ...otherProviders]) if (await hasKey(one)) return one
  return undefined
}
