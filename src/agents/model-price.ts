/**
 * The price and window of a model, from the maintained table in the package; no network. Money is
 * in whole micro-dollars, rounded up.
 */

import { defined } from '../loop/index.ts'
import type { Price } from './model-types.ts'

export interface ModelPricing {
  readonly price?: Price
  readonly windowTokens?: number
}

/** Empty for a model that is not in the table: an invented price would be worse than none. */
export async function findPrice(providerId: string, model: string): Promise<ModelPricing> {
  const { calcPrice } = await import('@pydantic/genai-prices')
  const found = calcPrice({ input_tokens: 1 }, model, { providerId })
  if (found === null) return {}
  const dollars = (usage: Record<string, number>): number =>
    calcPrice(usage, model, { providerId })?.total_price ?? 0
  const windowTokens = found.model.context_window
  return {
    price: {
      priceModelId: found.model.id,
      costMicros({ input, cacheRead, cacheWrite, output }) {
        const usage = {
          input_tokens: input,
          cache_read_tokens: Math.min(input, cacheRead),
          cache_write_tokens: Math.min(input - Math.min(input, cacheRead), cacheWrite),
          output_tokens: output,
        }
        return Math.ceil(dollars(usage) * 1_000_000 - 1e-6)
      },
    },
    ...defined({ windowTokens }),
  }
}
