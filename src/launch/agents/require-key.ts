/** Requires a key for a model, which may be sent to its host. Checked before a run is created. */

import { createMissingKeyError, describeModel } from '../../agents/index.ts'
import { isLocalHostname, publicProviders } from '../../gateway/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { ModelAgentSettings } from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import { keysFile, ownAddresses, type SharedGateway } from '../shared-gateway.ts'

export interface KeyPlace {
  readonly models: Pick<SharedGateway, 'hasKey'>
  readonly environment: Environment
}

export async function requireKey(
  { model, baseUrl, apiKeyEnv }: Pick<ModelAgentSettings, 'model' | 'baseUrl' | 'apiKeyEnv'>,
  { models, environment }: KeyPlace,
): Promise<void> {
  const { provider, keyVariables } = describeModel(model, baseUrl)
  if (apiKeyEnv !== undefined) {
    if ((environment[apiKeyEnv] ?? '') === '') throw createMissingKeyError(model, apiKeyEnv)
    return
  }
  const [usual] = keyVariables
  if (usual === undefined) return
  if (baseUrl !== undefined && !isKnownAddress(provider, baseUrl, environment)) {
    throw new LoopError(
      'not-configured',
      `${model} is at ${new URL(baseUrl).host}, and ${usual} is not sent there. Set apiKeyEnv to the name of the ` +
        'variable with its key.',
    )
  }
  if (await models.hasKey(provider)) return
  const file = keysFile(environment)
  const message = `${model} needs a key: set ${usual}, or put it in ${file}.`
  throw new LoopError('not-configured', message, { details: { variables: [usual] } })
}

/** The gateway sends its keys only to known hosts: a loop file cannot redirect them. */
function isKnownAddress(provider: string, baseUrl: string, environment: Environment): boolean {
  const { hostname, origin } = new URL(baseUrl)
  const own = new Map(ownAddresses(environment)).get(provider)
  const known = own ?? publicProviders[provider]?.baseUrl
  return isLocalHostname(hostname) || (known !== undefined && new URL(known).origin === origin)
}
