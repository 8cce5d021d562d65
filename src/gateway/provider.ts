/** Where requests go: the configured providers, and which of them serves which wire format. */

import { defined, LoopError } from '../loop/index.ts'
import type { PriceSource } from './pricing/price.ts'
import type { LimitName } from './wire/read-request.ts'
import type { Route, WireFormat } from './wire/route.ts'

/** How a provider is reached, and how its calls are priced. */
export interface ProviderSettings {
  /**
   * With a version, as the provider's clients write it; without one, the version of each request is
   * used.
   */
  readonly baseUrl: string
  /** The name in the price table. Default: derived from the address; local servers are free. */
  readonly priceId?: string
  readonly free?: boolean
  /** Output limit for requests without one. */
  readonly outputTokens?: number
  /** The highest output limit that a request may ask for. */
  readonly outputTokensMax?: number
  /** The name of the output limit in the chat format of this provider. */
  readonly limitName?: LimitName
}

export interface Provider extends PriceSource {
  readonly name: string
  /** On this machine. */
  readonly isLocal: boolean
  readonly outputTokens: number
  readonly outputTokensMax: number
  readonly limitName: LimitName
  urlFor(route: Route): URL
}

/** The providers of a gateway, by name. */
export type ProviderTable = Readonly<Record<string, ProviderSettings>>
/** Which provider serves each wire format. */
export type FormatRoutes = Readonly<Record<WireFormat, string>>

export const defaultRoutes: FormatRoutes = {
  anthropic: 'anthropic',
  chat: 'openai',
  responses: 'openai',
  gemini: 'google',
}

/** The default addresses of the providers. */
export const publicProviders: ProviderTable = {
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', priceId: 'anthropic' },
  openai: { baseUrl: 'https://api.openai.com/v1', priceId: 'openai' },
  google: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', priceId: 'google' },
}

/**
 * Servers on this machine that speak the OpenAI formats, and in some cases others, at their default
 * addresses. They are free, but their tokens count.
 */
export const localProviders: ProviderTable = {
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1' },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1' },
  'lm-studio': { baseUrl: 'http://127.0.0.1:1234/v1' },
}

const defaultOutputTokens = 16_384
const defaultOutputTokensMax = 64_000

export function readProviders(table: ProviderTable): ReadonlyMap<string, Provider> {
  return new Map(
    Object.entries(table).map(([name, settings]) => [name, readProvider(name, settings)]),
  )
}

function readProvider(name: string, settings: ProviderSettings): Provider {
  const { baseUrl, priceId, outputTokens, outputTokensMax, limitName } = settings
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (base === undefined || !['http:', 'https:'].includes(base.protocol)) {
    const message = `The base URL of the provider "${name}" must begin with http:// or https://.`
    throw new LoopError('not-configured', message)
  }
  if (base.username !== '' || base.password !== '' || base.search !== '') {
    const message = `The base URL of the provider "${name}" contains credentials. Configure them as a key instead.`
    throw new LoopError('not-configured', message)
  }
  const isOpenAi = priceId === 'openai' || base.hostname === 'api.openai.com'
  return {
    name,
    baseUrl,
    isLocal: isLocalHostname(base.hostname),
    ...defined({ priceId }),
    isFree: settings.free ?? (priceId === undefined && isLocalHostname(base.hostname)),
    outputTokens: outputTokens ?? defaultOutputTokens,
    outputTokensMax: outputTokensMax ?? defaultOutputTokensMax,
    limitName: limitName ?? (isOpenAi ? 'max_completion_tokens' : 'max_tokens'),
    urlFor({ version, path, query }) {
      const folder = base.pathname.replace(/\/+$/, '')
      const own = /\/v\d[\da-z]*$/.test(folder) ? '' : version
      return new URL(`${base.origin}${folder}${own}${path}${query}`)
    },
  }
}

/** On this machine. */
export const isLocalHostname = (hostname: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
