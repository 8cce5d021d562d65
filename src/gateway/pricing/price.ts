/**
 * What calls cost, from the maintained price table in the package; no network. Money is in whole
 * micro-dollars, rounded up. A model that is not in the table costs as much as the most expensive
 * related model of that provider, and is marked as estimated.
 */

import type { ModelInfo, PriceOptions } from '@pydantic/genai-prices'
import type { TokenUsage } from '../wire/usage.ts'

export interface Price {
  /** The model in the price table. */
  readonly priceModel: string
  /** There is no price for this exact model. */
  readonly isEstimated: boolean
  readonly isFree: boolean
  /** The size of the context window. */
  readonly windowTokens: number | undefined
  costMicros(usage: TokenUsage): number
}

/** Where requests for a model go. */
export interface PriceSource {
  readonly baseUrl: string
  /** The name of the provider in the price table. */
  readonly priceId?: string
  /** A self-hosted server. */
  readonly isFree: boolean
}

export type FindPrice = (source: PriceSource, model: string) => Price

const free: Price = {
  priceModel: 'free',
  isEstimated: false,
  isFree: true,
  windowTokens: undefined,
  costMicros: () => 0,
}

const cachedPricesMax = 500

export async function openPrices(): Promise<FindPrice> {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices')
  const cache = new Map<string, Price>()

  function toPrice(model: ModelInfo, options: PriceOptions, isEstimated: boolean): Price {
    return {
      priceModel: model.id,
      isEstimated,
      isFree: false,
      windowTokens: model.context_window,
      costMicros(usage) {
        const dollars = calcPrice(toTableUsage(usage), model.id, options)?.total_price ?? 0
        return Math.ceil(dollars * 1_000_000 - 1e-6)
      },
    }
  }

  function lookUp({ baseUrl, priceId }: PriceSource, model: string): Price {
    const probe = { input_tokens: 1 }
    const options: PriceOptions =
      priceId === undefined ? { providerApiUrl: baseUrl } : { providerId: priceId }
    const exact = calcPrice(probe, model, options)
    if (exact !== null) return toPrice(exact.model, { provider: exact.provider }, false)
    const elsewhere = calcPrice(probe, model)
    if (elsewhere !== null) return toPrice(elsewhere.model, { provider: elsewhere.provider }, true)
    const provider = findProvider(options) ?? findProvider({ providerId: 'openai' })
    if (provider === undefined) return { ...free, isEstimated: true }
    const cost = (one: ModelInfo): number =>
      calcPrice({ input_tokens: 4, output_tokens: 1 }, one.id, { provider })?.total_price ?? 0
    const [costliest] = findRelated(model, provider.models).toSorted((a, b) => cost(b) - cost(a))
    return costliest === undefined
      ? { ...free, isEstimated: true }
      : toPrice(costliest, { provider }, true)
  }

  return (source, model) => {
    if (source.isFree) return free
    const key = `${source.priceId ?? source.baseUrl} ${model}`
    const known = cache.get(key) ?? lookUp(source, model)
    // Model names come from agents: new names must not fill the memory.
    if (cache.size >= cachedPricesMax) cache.clear()
    cache.set(key, known)
    return known
  }
}

/** Models whose names start with the same words; all models if there are none. */
function findRelated(model: string, models: readonly ModelInfo[]): readonly ModelInfo[] {
  const words = model.toLowerCase().split(/[-.:/@_ ]/)
  for (let count = words.length; count > 0; count--) {
    const start = words.slice(0, count).join('-')
    const found = models.filter(({ id }) => id.replaceAll(/[.:/@_ ]/g, '-').startsWith(start))
    if (found.length > 0) return found
  }
  return models
}

/** In the table, cached tokens are included in the input. */
function toTableUsage(usage: TokenUsage): Record<string, number> {
  const { input, output, webSearches } = usage
  const cacheRead = Math.min(input, usage.cacheRead)
  const cacheWrite = Math.min(input - cacheRead, usage.cacheWrite)
  return {
    input_tokens: input,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    cache_write_1h_tokens: Math.min(cacheWrite, usage.cacheWriteHour),
    output_tokens: output,
    ...(webSearches === 0 ? {} : { web_searches: webSearches }),
  }
}
