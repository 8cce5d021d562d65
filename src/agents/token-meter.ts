/**
 * How many tokens a request is, before anybody has counted it. The estimate is an upper bound for
 * common text; what the provider counted corrects it, so that it holds for other text too.
 */

import { estimateTokens } from '../loop/index.ts'
import type { Ask, Message } from './conversation.ts'

export interface TokenMeter {
  ofMessage(message: Message): number
  /** Everything around the messages: system, tools, status. */
  ofFrame(ask: Ask): number
  /** What the provider counted for what was estimated. */
  learn(estimatedTokens: number, countedTokens: number): void
}

/** What roles and separators cost. */
const perMessageTokens = 10
const perToolTokens = 20
/** A provider that counts wildly other than the estimate is believed up to here. */
const factorMax = 4

export function createTokenMeter(): TokenMeter {
  const known = new WeakMap<object, number>()
  let factor = 1

  function remember(key: object, text: () => string, more: number): number {
    const tokens = known.get(key) ?? estimateTokens(text()) + more
    known.set(key, tokens)
    return tokens
  }

  return {
    ofMessage: (message) =>
      Math.ceil(factor * remember(message, () => textOfMessage(message), perMessageTokens)),
    ofFrame(ask) {
      const tools = remember(
        ask.tools,
        () => JSON.stringify(ask.tools),
        perToolTokens * ask.tools.length,
      )
      const texts = estimateTokens(ask.system) + estimateTokens(ask.status ?? '')
      return Math.ceil(factor * (tools + texts + 2 * perMessageTokens))
    },
    learn(estimatedTokens, countedTokens) {
      // Only upwards: to have estimated too much costs nothing but an early cut.
      if (!(countedTokens > estimatedTokens) || estimatedTokens <= 0) return
      factor = Math.min(factorMax, (factor * countedTokens * 1.05) / estimatedTokens)
    },
  }
}

function textOfMessage(message: Message): string {
  switch (message.role) {
    case 'user':
      return message.text
    case 'results':
      return message.results.map(({ name, text }) => `${name}\n${text}`).join('\n')
    case 'assistant':
      return JSON.stringify(message.raw ?? [message.text, message.calls])
  }
}
