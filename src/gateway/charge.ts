/**
 * What an answer is charged: what the provider says that it used. Where it says nothing, what can be
 * known is estimated from above, and marked.
 */

import { estimateTokens } from '../loop/index.ts'
import { type ExtraPrice, extraPriceOf } from './extra-price.ts'
import type { CallPlan } from './plan-call.ts'
import type { Relayed } from './relay-answer.ts'
import type { WireFormat } from './route.ts'
import { noUsage, type TokenUsage } from './usage.ts'

export interface Charge {
  readonly usage: TokenUsage
  readonly isEstimated: boolean
  /** What the answer says that it costs besides. */
  readonly extra?: ExtraPrice
}

export const noCharge: Charge = { usage: noUsage, isEstimated: false }

/** The provider may have worked on it; nobody knows. */
export const inputCharge = ({ inputTokens }: CallPlan): Charge => ({
  usage: { ...noUsage, input: inputTokens },
  isEstimated: true,
})

/** It has worked, and what it made cannot be seen. */
export const worstCharge = ({ inputTokens, outputTokens }: CallPlan): Charge => ({
  usage: { ...noUsage, input: inputTokens, output: outputTokens },
  isEstimated: true,
})

export function chargeOf(
  format: WireFormat,
  plan: CallPlan,
  relayed: Relayed,
  isOwn: boolean,
): Charge {
  const { reading } = relayed
  const said = { ...noUsage, ...reading.usage }
  const extra = extraPriceOf(reading.extras)
  if (reading.isFinal) {
    const hasExtra = !plan.price.isFree && (extra.factor > 1 || extra.callMicros > 0)
    return { usage: said, isEstimated: plan.isEstimated || hasExtra, extra }
  }
  const input = reading.usage.input ?? plan.inputTokens
  // A refusal that calls itself a success.
  if (reading.error !== undefined && !relayed.isStream) return inputCharge(plan)
  const output = Math.max(said.output, unsaidOutput(format, plan, relayed, isOwn))
  return { usage: { ...said, input, output }, isEstimated: true, extra }
}

/** How much came, where all that is made is also sent; else as much as was allowed. */
function unsaidOutput(
  format: WireFormat,
  plan: CallPlan,
  { isStream, isTruncated, bytes, ended }: Relayed,
  isOwn: boolean,
): number {
  const isWhole = ended === 'complete' || ended === 'no-stop'
  // Models of OpenAI think without a word; servers of one's own send what they think.
  const thinksUnseen = !isOwn && (format === 'chat' || format === 'responses')
  // A body in one piece was made before it was sent.
  const isSeen = isStream ? !thinksUnseen : isWhole && isOwn
  if (isTruncated || !isSeen) return plan.outputTokens
  const text = isStream ? textOfStream(bytes) : textOfBody(bytes)
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

function textOfStream(bytes: Buffer): string {
  const found: string[] = []
  for (const line of bytes.toString().split('\n')) {
    if (!line.startsWith('data:')) continue
    try {
      collect(JSON.parse(line.slice(5)), '', found)
    } catch {
      found.push(line.slice(5))
    }
  }
  return found.join('')
}

function textOfBody(bytes: Buffer): string {
  const found: string[] = []
  try {
    collect(JSON.parse(bytes.toString()), '', found)
  } catch {
    return bytes.toString()
  }
  return found.join('')
}

function collect(value: unknown, name: string, found: string[]): void {
  if (typeof value === 'string') {
    if (textNames.has(name)) found.push(value)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [inner, one] of Object.entries(value)) {
    // Arguments of Gemini's calls are values, not text.
    if (inner === 'args') found.push(JSON.stringify(one))
    else collect(one, Array.isArray(value) ? name : inner, found)
  }
}
