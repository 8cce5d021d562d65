/**
 * Estimates the tokens of a request before the provider counts them. The estimate is an upper bound
 * for common text; the provider's counts correct it, so that it holds for other text too.
 */

import { estimateTokens } from '../loop/index.ts'
import type { ChatRequest, Message } from './conversation.ts'

export interface TokenMeter {
  countMessage(message: Message): number
  /** Everything around the messages: system, tools, status. */
  countFrame(ask: ChatRequest): number
  /** Compares an estimate with what the provider counted. */
  learn(estimatedTokens: number, countedTokens: number): void
}

/** The cost of roles and separators. */
const perMessageTokens = 10
const perToolTokens = 20
/** The correction is limited, in case a provider's count is far off. */
const factorMax = 4

export function createTokenMeter(): TokenMeter {
  const known = new WeakMap<object, number>()
  let factor = 1

  function measure(key: object, text: () => string, more: number): number {
    const tokens = known.get(key) ?? estimateTokens(text()) + more
    known.set(key, tokens)
    return tokens
  }

  return {
    countMessage: (message) =>
      Math.ceil(factor * measure(message, () => toText(message), perMessageTokens)),
    countFrame(ask) {
      const tools = measure(
        ask.tools,
        () => JSON.stringify(ask.tools),
        perToolTokens * ask.tools.length,
      )
      const texts = estimateTokens(ask.system) + estimateTokens(ask.status ?? '')
      return Math.ceil(factor * (tools + texts + 2 * perMessageTokens))
    },
    learn(estimatedTokens, countedTokens) {
      // Only upwards: overestimating costs nothing but an early cut.
      if (!(countedTokens > estimatedTokens) || estimatedTokens <= 0) return
      factor = Math.min(factorMax, (factor * countedTokens * 1.05) / estimatedTokens)
    },
  }
}

function toText(message: Message): string {
  switch (message.role) {
    case 'user':
      return message.text
    case 'results':
      return message.results.map(({ name, text }) => `${name}\n${text}`).join('\n')
    case 'assistant':
      return JSON.stringify(message.raw ?? [message.text, message.calls])
  }
}
