/** Where requests go: the providers that are configured, and which of them answers which format. */

import { defined, LoopError } from '../loop/index.ts'
import type { PriceSource } from './price.ts'
import type { LimitName } from './read-request.ts'
import type { Route, WireFormat } from './route.ts'

/** How a provider is reached, and how its calls are priced. */
export interface ProviderSettings {
  /** With its version, as clients of the provider have it; without, the version of each request. */
  readonly baseUrl: string
  /** As the price table calls it. Absent: found by the address; free on this machine. */
  readonly priceId?: string
  readonly free?: boolean
  /** Output tokens for requests that name no limit. */
  readonly outputTokens?: number
  /** The most that a request may ask for. */
  readonly outputTokensMax?: number
  /** How the chat format calls the limit of output tokens there. */
  readonly limitName?: LimitName
}

export interface Provider extends PriceSource {
  readonly name: string
  /** On this machine. */
  readonly isLocal: boolean
  readonly outputTokens: number
  readonly outputTokensMax: number
  readonly limitName: LimitName
  addressOf(route: Route): URL
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

/** Where the providers are when nothing else is said. */
export const publicProviders: ProviderTable = {
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', priceId: 'anthropic' },
  openai: { baseUrl: 'https://api.openai.com/v1', priceId: 'openai' },
  google: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', priceId: 'google' },
}

/**
 * Servers on this machine that speak the formats of OpenAI, and some of them others, where they listen
 * when nothing else is said. They cost nothing; their tokens count.
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
    const message = `The base URL of the provider "${name}" holds a key. Set it as a key instead.`
    throw new LoopError('not-configured', message)
  }
  const isOpenAi = priceId === 'openai' || base.hostname === 'api.openai.com'
  return {
    name,
    baseUrl,
    isLocal: isLocal(base.hostname),
    ...defined({ priceId }),
    isFree: settings.free ?? (priceId === undefined && isLocal(base.hostname)),
    outputTokens: outputTokens ?? defaultOutputTokens,
    outputTokensMax: outputTokensMax ?? defaultOutputTokensMax,
    limitName: limitName ?? (isOpenAi ? 'max_completion_tokens' : 'max_tokens'),
    addressOf({ version, path, query }) {
      const folder = base.pathname.replace(/\/+$/, '')
      const own = /\/v\d[\da-z]*$/.test(folder) ? '' : version
      return new URL(`${base.origin}${folder}${own}${path}${query}`)
    },
  }
}

/** On this machine. */
export const isLocal = (hostname: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
