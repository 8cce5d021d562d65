/**
 * What a request may cost at worst, and the request as it is sent for that.
 *
 * E4. The worst case is honest: the output is limited by the request itself, the input is estimated
 *     from above, and what is not in the request counts as a full window.
 */

import { type Amount, estimateTokens } from '../loop/index.ts'
import type { Charge } from './charge.ts'
import type { Price } from './price.ts'
import type { Provider } from './provider.ts'
import type { RequestShape } from './read-request.ts'
import { noUsage } from './usage.ts'

export interface CallPlan {
  readonly body: Buffer
  readonly inputTokens: number
  /** Of all answers together. */
  readonly outputTokens: number
  readonly worst: Amount
  readonly price: Price
  /** There is no price for just this. */
  readonly isEstimated: boolean
  amountOf(charge: Charge): Amount
}

export interface PlanOptions {
  readonly shape: RequestShape
  readonly body: Buffer
  readonly provider: Provider
  readonly price: Price
  /** What providers counted, by what was estimated, where that was more. */
  readonly factor: number
  readonly remaining: Amount | undefined
}

const unknownWindowTokens = 200_000
/** Less is of no use to an agent; it is better told that it is over. */
const usefulOutputTokens = 1024

export function planCall(options: PlanOptions): CallPlan {
  const { shape, body, provider, price } = options
  const inputTokens = inputOf(options)
  // What the client asks for is never raised: the provider says what is wrong with it.
  const asked = shape.outputTokens ?? Math.max(provider.outputTokens, shape.outputTokensMin)
  const wanted = Math.min(asked, provider.outputTokensMax)
  const worstOf = (output: number): Amount =>
    worstCase(price, shape, inputTokens, output * shape.choices)
  const limit = fitting(wanted, shape, worstOf, options.remaining)
  return {
    body: limit === shape.outputTokens ? body : shape.limitedTo(limit, provider.limitName),
    inputTokens,
    outputTokens: limit * shape.choices,
    worst: worstOf(limit),
    price,
    isEstimated: price.isEstimated || (shape.priceFactor > 1 && !price.isFree),
    amountOf: ({ usage, extra }) => {
      const factor = Math.max(shape.priceFactor, extra?.factor ?? 1)
      const besides = price.isFree ? 0 : (extra?.callMicros ?? 0)
      const costMicros = Math.ceil(price.costMicros(usage) * factor) + besides
      return { tokens: usage.input + usage.output, costMicros }
    },
  }
}

function inputOf({ shape, body, price, factor }: PlanOptions): number {
  const window = price.windowTokens ?? unknownWindowTokens
  // Pictures in a request are long texts and few tokens; more than the window is refused anyway.
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
  return { tokens: input + output, costMicros: Math.ceil(costMicros * shape.priceFactor) }
}

/** Less output than was asked for, where that is what makes the call fit into what is left. */
function fitting(
  wanted: number,
  shape: RequestShape,
  worstOf: (output: number) => Amount,
  remaining: Amount | undefined,
): number {
  const fits = (output: number): boolean => {
    const { tokens, costMicros } = worstOf(output)
    return (
      remaining === undefined || (tokens <= remaining.tokens && costMicros <= remaining.costMicros)
    )
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
