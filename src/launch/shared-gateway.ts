/** The gateway of a host, shared by all its runs and opened when the first agent needs a model. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Gateway, ProviderTable } from '../gateway/index.ts'
import type { Environment } from '../system/environment.ts'

export interface SharedGateway {
  /** Rejects with `not-configured` when the keys cannot be read. */
  gateway(): Promise<Gateway>
  /** Whether there is a key for a provider. */
  hasKey(provider: string): Promise<boolean>
  /** The same gateway with the keys and addresses of another environment. Closing it closes nothing. */
  withEnvironment(environment: Environment): SharedGateway
  close(): Promise<void>
}

export function createSharedGateway(environment: Environment = process.env): SharedGateway {
  let opened: Promise<Gateway> | undefined
  const shared: SharedGateway = {
    gateway() {
      opened ??= openFor(environment)
      // The next call may succeed.
      opened.catch(() => {
        opened = undefined
      })
      return opened
    },
    async hasKey(provider) {
      return (await keysOf(environment))(provider) !== undefined
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
    withEnvironment: (other) => withEnvironment(shared, other),
  }
  return shared
}

/** Keys are read each time: the user may have added one to the file. */
const withEnvironment = (shared: SharedGateway, environment: Environment): SharedGateway => ({
  async gateway() {
    const [gateway, keys] = await Promise.all([shared.gateway(), keysOf(environment)])
    return gateway.withAccess({ keys, providers: await ownProviders(environment) })
  },
  async hasKey(provider) {
    return (await keysOf(environment))(provider) !== undefined
  },
  withEnvironment: (other) => withEnvironment(shared, other),
  close: async () => undefined,
})

async function ownProviders(environment: Environment): Promise<ProviderTable> {
  const { publicProviders } = await import('../gateway/index.ts')
  const own = ownAddresses(environment).map(([provider, baseUrl]) => [
    provider,
    { ...publicProviders[provider], baseUrl },
  ])
  return Object.fromEntries(own) as ProviderTable
}

async function openFor(environment: Environment): Promise<Gateway> {
  const { openGateway } = await import('../gateway/index.ts')
  const { makePrivateFolder } = await import('../workspace/private-folder.ts')
  const providers = await ownProviders(environment)
  const keys = await keysOf(environment)
  const folder = await makePrivateFolder()
  try {
    const gateway = await openGateway({ keys, providers, folder: folder.path })
    return {
      ...gateway,
      async close() {
        await gateway.close()
        await folder.remove()
      },
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

async function keysOf(environment: Environment): Promise<(provider: string) => string | undefined> {
  const { readKeys } = await import('../gateway/index.ts')
  return readKeys({ env: environment, file: keysFile(environment) })
}

/** A file with lines such as `ANTHROPIC_API_KEY=…`, for users who keep keys out of their environment. */
export function keysFile(environment: Environment = process.env): string {
  const given = environment['XDG_CONFIG_HOME']
  const config = given !== undefined && given !== '' ? given : join(homedir(), '.config')
  return join(config, 'loopwright', 'keys')
}

/** The variables from which the clients of the providers read another address. */
export const addressVariables = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  google: 'GOOGLE_GEMINI_BASE_URL',
} as const

/** Providers with another address in the environment. */
export const ownAddresses = (environment: Environment): readonly (readonly [string, string])[] =>
  Object.entries(addressVariables).flatMap(([provider, variable]) => {
    const baseUrl = environment[variable]
    return baseUrl === undefined || baseUrl === '' ? [] : [[provider, baseUrl] as const]
  })
