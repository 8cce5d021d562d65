/**
 * Computes the worst-case cost of a request, and the request to send within it.
 *
 * E4. The worst case holds: the request itself limits the output, the input is an upper
 *     estimate, and hidden input counts as a full context window.
 */

import { type Amount, estimateTokens, zero } from '../../loop/index.ts'
import type { Provider } from '../provider.ts'
import type { RequestShape } from '../wire/read-request.ts'
import { noUsage } from '../wire/usage.ts'
import type { Charge } from './charge.ts'
import type { Price } from './price.ts'

export interface CallPlan {
  readonly body: Buffer
  readonly inputTokens: number
  /** Over all choices. */
  readonly outputTokens: number
  readonly worst: Amount
  readonly price: Price
  /** There is no exact price for this call. */
  readonly isEstimated: boolean
  amountOf(charge: Charge): Amount
}

export interface PlanOptions {
  readonly shape: RequestShape
  readonly body: Buffer
  readonly provider: Provider
  readonly price: Price
  /** Correction of estimates by the token counts of providers, where those were higher. */
  readonly factor: number
  readonly remaining: Amount | undefined
}

const unknownWindowTokens = 200_000
/** Less is useless to an agent; a refusal serves it better. */
const usefulOutputTokens = 1024

export function planCall(options: PlanOptions): CallPlan {
  const { shape, body, provider, price } = options
  const inputTokens = estimateInput(options)
  // What the client asks for is never raised: the provider reports what is wrong with it.
  const requested = shape.outputTokens ?? Math.max(provider.outputTokens, shape.outputTokensMin)
  const wanted = Math.min(requested, provider.outputTokensMax)
  const worstFor = (output: number): Amount =>
    worstCase(price, shape, inputTokens, output * shape.choices)
  const limit = fitOutput(wanted, shape, worstFor, options.remaining)
  return {
    body: limit === shape.outputTokens ? body : shape.limitedTo(limit, provider.limitName),
    inputTokens,
    outputTokens: limit * shape.choices,
    worst: worstFor(limit),
    price,
    isEstimated: price.isEstimated || (shape.priceFactor > 1 && !price.isFree),
    amountOf: ({ usage, extra }) => {
      const factor = Math.max(shape.priceFactor, extra?.factor ?? 1)
      const callMicros = price.isFree ? 0 : (extra?.callMicros ?? 0)
      const costMicros = Math.ceil(price.costMicros(usage) * factor) + callMicros
      const tokens = usage.input + usage.output
      if (tokens === 0 && costMicros === 0) return zero
      return { tokens, costMicros, outputTokens: usage.output }
    },
  }
}

function estimateInput({ shape, body, price, factor }: PlanOptions): number {
  const window = price.windowTokens ?? unknownWindowTokens
  // Images are long texts but few tokens; the provider refuses anything over the window anyway.
  if (shape.hasHiddenInput || body.length > 8 * window) return window
  const estimated = Math.ceil(estimateTokens(body.toString()) * factor)
  return price.windowTokens === undefined ? estimated : Math.min(estimated, price.windowTokens)
}

function worstCase(price: Price, shape: RequestShape, input: number, output: number): Amount {
  const usage = { ...noUsage, input, output }
  const writes = shape.cacheWrites === 'none' ? 0 : input
  const written = {
    ...usage,
    cacheWrite: writes,
    cacheWriteHour: shape.cacheWrites === 'hour' ? writes : 0,
  }
  const plain = price.costMicros(usage)
  const costMicros = writes === 0 ? plain : Math.max(plain, price.costMicros(written))
  return {
    tokens: input + output,
    costMicros: Math.ceil(costMicros * shape.priceFactor),
    outputTokens: output,
  }
}

/** Reduces the output limit if that makes the call fit the remaining budget. */
function fitOutput(
  wanted: number,
  shape: RequestShape,
  worstFor: (output: number) => Amount,
  remaining: Amount | undefined,
): number {
  const fits = (output: number): boolean => {
    if (remaining === undefined) return true
    const { tokens, costMicros } = worstFor(output)
    const { outputTokens = Number.POSITIVE_INFINITY } = remaining
    const isAffordable = tokens <= remaining.tokens && costMicros <= remaining.costMicros
    return isAffordable && output * shape.choices <= outputTokens
  }
  const least = Math.min(wanted, Math.max(shape.outputTokensMin, usefulOutputTokens))
  if (fits(wanted) || !fits(least)) return wanted
  let low = least
  let high = wanted
  while (high - low > 64) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}
