/**
 * Resolves a model name: `anthropic/…`, `openai/…`, `google/…`, or any server that speaks OpenAI's
 * chat format at a base URL, to which the name is passed unchanged (explicitly:
 * `openai-compatible/…`). Providers and prices are loaded on demand.
 *
 * The value of a key goes to the provider's client and into `secrets`, nowhere else.
 */

import { defined, LoopError } from '../loop/index.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { findPrice } from './model-price.ts'
import type { Price, SdkModel } from './model-types.ts'

/** Options of `resolveModel`. */
export interface ResolveModelOptions {
  readonly baseUrl?: string
  /** The variable that holds the key, if it is not the provider's usual one. */
  readonly apiKeyEnv?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Matches the options of `modelAgent`. */
export interface ResolvedModel {
  readonly model: SdkModel
  readonly modelId: string
  readonly price?: Price
  readonly windowTokens?: number
  readonly keyVariable?: string
  readonly secrets: readonly string[]
}

interface Provider {
  /** Variables that may hold its key, the usual one first. */
  readonly keyVariables: readonly string[]
  /** Its name in the price table. */
  readonly priceId?: string
  open(options: Access, model: string): Promise<SdkModel>
}

interface Access {
  readonly apiKey?: string
  readonly baseURL?: string
  readonly fetch: typeof fetch
}

const providers: Readonly<Record<ModelDescription['provider'], Provider>> = {
  anthropic: {
    keyVariables: ['ANTHROPIC_API_KEY'],
    priceId: 'anthropic',
    open: async (access, model) =>
      (await import('@ai-sdk/anthropic')).createAnthropic(access)(model),
  },
  openai: {
    keyVariables: ['OPENAI_API_KEY'],
    priceId: 'openai',
    open: async (access, model) => (await import('@ai-sdk/openai')).createOpenAI(access)(model),
  },
  google: {
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    priceId: 'google',
    open: async (access, model) =>
      (await import('@ai-sdk/google')).createGoogleGenerativeAI(access)(model),
  },
  'openai-compatible': {
    keyVariables: [],
    async open({ baseURL, ...access }, model) {
      if (baseURL === undefined) throw noBaseUrl(model)
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const settings = { name: 'openai-compatible', baseURL, includeUsage: true, ...access }
      return createOpenAICompatible(settings)(model)
    },
  },
}

/** Finds the provider, key and price of a model by its name, such as `anthropic/claude-sonnet-5`. */
export async function resolveModel(
  id: string,
  options: ResolveModelOptions = {},
): Promise<ResolvedModel> {
  const { baseUrl, apiKeyEnv, env = process.env } = options
  const { provider, model } = parseModelId(id, baseUrl)
  if (baseUrl !== undefined) requireUrl(baseUrl)
  const variables = apiKeyEnv === undefined ? provider.keyVariables : [apiKeyEnv]
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== ''
  const keyVariable = variables.find(isSet)
  const [usual] = variables
  if (keyVariable === undefined && usual !== undefined) throw createMissingKeyError(id, usual)
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable]
  const access = {
    fetch: boundedFetch,
    ...defined({ apiKey, baseURL: baseUrl }),
  }
  const opened = await provider.open(access, model)
  const known = provider.priceId === undefined ? {} : await findPrice(provider.priceId, model)
  return {
    model: opened,
    modelId: id,
    ...known,
    ...defined({ keyVariable }),
    secrets: apiKey === undefined ? [] : [apiKey],
  }
}

/**
 * The provider of a model, and the variables that may hold its key. Rejects with `not-configured`.
 */
export function describeModel(id: string, baseUrl?: string): ModelDescription {
  const { name, provider } = parseModelId(id, baseUrl)
  if (baseUrl !== undefined) requireUrl(baseUrl)
  return { provider: name, keyVariables: provider.keyVariables }
}

export interface ModelDescription {
  readonly provider: 'anthropic' | 'openai' | 'google' | 'openai-compatible'
  readonly keyVariables: readonly string[]
}

interface NamedModel {
  readonly name: ModelDescription['provider']
  readonly provider: Provider
  readonly model: string
}

const isProvider = (name: string): name is ModelDescription['provider'] =>
  Object.hasOwn(providers, name)

function parseModelId(id: string, baseUrl: string | undefined): NamedModel {
  const slash = id.indexOf('/')
  const prefix = id.slice(0, Math.max(0, slash))
  const isKnown = isProvider(prefix)
  const model = isKnown ? id.slice(slash + 1) : id
  const name = isKnown ? prefix : 'openai-compatible'
  if ((isKnown || baseUrl !== undefined) && model !== '') {
    return { name, provider: providers[name], model }
  }
  const names = Object.keys(providers).map((one) => `${one}/…`)
  const message =
    `Unknown model "${id}". Write it as ${names.join(', ')}, ` +
    'or set the base URL of a server that speaks the OpenAI chat format.'
  throw new LoopError('not-configured', message)
}

function requireUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return
  const message = `The base URL "${text}" is invalid. It must start with http:// or https://.`
  throw new LoopError('not-configured', message)
}

export const createMissingKeyError = (id: string, variable: string): LoopError =>
  new LoopError('not-configured', `${id} needs a key: set the variable ${variable}.`, {
    details: { variables: [variable] },
  })

const noBaseUrl = (model: string): LoopError =>
  new LoopError('not-configured', `${model} needs the base URL of its server: set baseUrl.`)
