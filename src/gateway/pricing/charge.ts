/**
 * What a response is charged: the usage that the provider reports. Where it reports none, an upper
 * estimate is used and marked as such.
 */

import { estimateTokens } from '../../loop/index.ts'
import type { RelayedResponse } from '../relay-response.ts'
import type { WireFormat } from '../wire/route.ts'
import { noUsage, type TokenUsage } from '../wire/usage.ts'
import { type ExtraPrice, toExtraPrice } from './extra-price.ts'
import type { CallPlan } from './plan-call.ts'

export interface Charge {
  readonly usage: TokenUsage
  readonly isEstimated: boolean
  /** Extra costs that the response reports. */
  readonly extra?: ExtraPrice
}

export const noCharge: Charge = { usage: noUsage, isEstimated: false }

/** The provider may have processed the request; there is no way to know. */
export const inputCharge = ({ inputTokens }: CallPlan): Charge => ({
  usage: { ...noUsage, input: inputTokens },
  isEstimated: true,
})

/** The provider did process the request, but its output cannot be measured. */
export const worstCharge = ({ inputTokens, outputTokens }: CallPlan): Charge => ({
  usage: { ...noUsage, input: inputTokens, output: outputTokens },
  isEstimated: true,
})

export function computeCharge(
  format: WireFormat,
  plan: CallPlan,
  relayed: RelayedResponse,
  isSelfHosted: boolean,
): Charge {
  const { reading } = relayed
  const reported = { ...noUsage, ...reading.usage }
  const extra = toExtraPrice(reading.extras)
  if (reading.isFinal) {
    const hasExtra = !plan.price.isFree && (extra.factor > 1 || extra.callMicros > 0)
    return { usage: reported, isEstimated: plan.isEstimated || hasExtra, extra }
  }
  const input = reading.usage.input ?? plan.inputTokens
  // A refusal with a success status.
  if (reading.error !== undefined && !relayed.isStream) return inputCharge(plan)
  const output = Math.max(reported.output, estimateOutput(format, plan, relayed, isSelfHosted))
  return { usage: { ...reported, input, output }, isEstimated: true, extra }
}

/**
 * An estimate from the received text if everything generated is sent; otherwise the output limit.
 */
function estimateOutput(
  format: WireFormat,
  plan: CallPlan,
  { isStream, isTruncated, bytes, ended }: RelayedResponse,
  isSelfHosted: boolean,
): number {
  const isComplete = ended === 'complete' || ended === 'no-stop'
  // OpenAI models hide their reasoning; self-hosted servers send it.
  const hidesReasoning = !isSelfHosted && (format === 'chat' || format === 'responses')
  // A body sent in one piece was generated in full before it was sent.
  const isVisible = isStream ? !hidesReasoning : isComplete && isSelfHosted
  if (isTruncated || !isVisible) return plan.outputTokens
  const text = isStream ? extractStreamText(bytes) : extractBodyText(bytes)
  return Math.min(plan.outputTokens, estimateTokens(text))
}

const textNames = new Set([
  'text',
  'thinking',
  'partial_json',
  'content',
  'reasoning',
  'reasoning_content',
  'arguments',
  'delta',
  'name',
  'refusal',
])

function extractStreamText(bytes: Buffer): string {
  const found: string[] = []
  for (const line of bytes.toString().split('\n')) {
    if (!line.startsWith('data:')) continue
    try {
      collectText(JSON.parse(line.slice(5)), '', found)
    } catch {
      found.push(line.slice(5))
    }
  }
  return found.join('')
}

function extractBodyText(bytes: Buffer): string {
  const found: string[] = []
  try {
    collectText(JSON.parse(bytes.toString()), '', found)
  } catch {
    return bytes.toString()
  }
  return found.join('')
}

function collectText(value: unknown, name: string, found: string[]): void {
  if (typeof value === 'string') {
    if (textNames.has(name)) found.push(value)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [inner, one] of Object.entries(value)) {
    // Arguments of Gemini function calls are JSON values, not strings.
    if (inner === 'args') found.push(JSON.stringify(one))
    else collectText(one, Array.isArray(value) ? name : inner, found)
  }
}
