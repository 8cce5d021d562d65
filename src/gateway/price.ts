/**
 * What calls cost, from the maintained table that is part of the package: no network. Money is in whole
 * micro-dollars, rounded up. A model that is not in the table costs what the dearest of its relatives
 * at that provider costs, and is marked as estimated.
 */

import type { ModelInfo, PriceOptions } from '@pydantic/genai-prices'
import type { TokenUsage } from './usage.ts'

export interface Price {
  /** Whose price this is. */
  readonly priceModel: string
  /** It is not known for this very model. */
  readonly isEstimated: boolean
  readonly isFree: boolean
  /** How much fits into the model. */
  readonly windowTokens: number | undefined
  costMicros(usage: TokenUsage): number
}

/** Where a model is asked for. */
export interface PriceSource {
  readonly baseUrl: string
  /** As the price table calls the provider. */
  readonly priceId?: string
  /** A server of one's own. */
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

const pricesKeptMax = 500

export async function openPrices(): Promise<FindPrice> {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices')
  const kept = new Map<string, Price>()

  function priceOf(model: ModelInfo, options: PriceOptions, isEstimated: boolean): Price {
    return {
      priceModel: model.id,
      isEstimated,
      isFree: false,
      windowTokens: model.context_window,
      costMicros(usage) {
        const dollars = calcPrice(toTable(usage), model.id, options)?.total_price ?? 0
        return Math.ceil(dollars * 1_000_000 - 1e-6)
      },
    }
  }

  function lookUp({ baseUrl, priceId }: PriceSource, model: string): Price {
    const probe = { input_tokens: 1 }
    const options: PriceOptions =
      priceId === undefined ? { providerApiUrl: baseUrl } : { providerId: priceId }
    const exact = calcPrice(probe, model, options)
    if (exact !== null) return priceOf(exact.model, { provider: exact.provider }, false)
    const elsewhere = calcPrice(probe, model)
    if (elsewhere !== null) return priceOf(elsewhere.model, { provider: elsewhere.provider }, true)
    const provider = findProvider(options) ?? findProvider({ providerId: 'openai' })
    if (provider === undefined) return { ...free, isEstimated: true }
    const cost = (one: ModelInfo): number =>
      calcPrice({ input_tokens: 4, output_tokens: 1 }, one.id, { provider })?.total_price ?? 0
    const [dearest] = relatives(model, provider.models).toSorted((a, b) => cost(b) - cost(a))
    return dearest === undefined
      ? { ...free, isEstimated: true }
      : priceOf(dearest, { provider }, true)
  }

  return (source, model) => {
    if (source.isFree) return free
    const key = `${source.priceId ?? source.baseUrl} ${model}`
    const known = kept.get(key) ?? lookUp(source, model)
    // Names come from agents: a new one each time must not fill the memory.
    if (kept.size >= pricesKeptMax) kept.clear()
    kept.set(key, known)
    return known
  }
}

/** Those that begin with the same words, else all. */
function relatives(model: string, models: readonly ModelInfo[]): readonly ModelInfo[] {
  const words = model.toLowerCase().split(/[-.:/@_ ]/)
  for (let count = words.length; count > 0; count--) {
    const start = words.slice(0, count).join('-')
    const found = models.filter(({ id }) => id.replaceAll(/[.:/@_ ]/g, '-').startsWith(start))
    if (found.length > 0) return found
  }
  return models
}

/** In the table parts are within the whole. */
function toTable(usage: TokenUsage): Record<string, number> {
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
