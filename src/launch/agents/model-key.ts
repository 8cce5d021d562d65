/** Whether there is a key for a model, and may go where the model is. Said before a run is made. */

import { describeModel, missingKey } from '../../agents/index.ts'
import { isLocal, publicProviders } from '../../gateway/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { ModelAgentSettings } from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import { keysFile, type ModelDoor, ownAddresses } from '../shared-gateway.ts'

export interface KeyPlace {
  readonly models: Pick<ModelDoor, 'hasKey'>
  readonly environment: Environment
}

export async function requireKey(
  { model, baseUrl, apiKeyEnv }: Pick<ModelAgentSettings, 'model' | 'baseUrl' | 'apiKeyEnv'>,
  { models, environment }: KeyPlace,
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
  if (await models.hasKey(provider)) return
  const file = keysFile(environment)
  const message = `${model} needs a key: set ${usual}, or put it in ${file}.`
  throw new LoopError('not-configured', message, { details: { variables: [usual] } })
}

/** Where the gateway sends its own keys: a loop file cannot lead them elsewhere. */
function isKnownAddress(provider: string, baseUrl: string, environment: Environment): boolean {
  const { hostname, origin } = new URL(baseUrl)
  const own = new Map(ownAddresses(environment)).get(provider)
  const known = own ?? publicProviders[provider]?.baseUrl
  return isLocal(hostname) || (known !== undefined && new URL(known).origin === origin)
}
