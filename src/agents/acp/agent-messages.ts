/**
 * What comes out of an agent, looked at before the SDK sees it.
 *
 * 1. Only an answer to a question that was asked, and not yet answered, gets through: once. The SDK would
 *    write others to our own error output. One that is none is refused there.
 * 2. Notifications never get to the SDK: a flood of them costs a parse each, and one that cannot be read
 *    is left out.
 * 3. How much comes at all is limited, and so are lines that are no messages. A few such lines are common:
 *    logs that went the wrong way.
 */

import type { AnyMessage, JsonRpcId } from '@agentclientprotocol/sdk'
import { type EventObject, readEvent } from '../programs/event-line.ts'

export interface MessageLimits {
  /** Of all lines together. */
  readonly bytesMax: number
  readonly messagesMax: number
  /** Lines that are no messages, between two that are. */
  readonly noiseLinesMax: number
}

export interface MessageHandlers {
  /** A question of the agent, or an answer to one of ours. */
  onMessage(message: AnyMessage): void
  onNotification(method: string, params: unknown): void
}

export interface AgentMessages {
  /** Notes a question, so that its answer is known. */
  sent(message: AnyMessage): void
  /** Undefined, or why nothing more of this agent is listened to. */
  received(line: string): string | undefined
  /** A line that was no message, when there was one: often says what is wrong. */
  readonly noise: string | undefined
}

const sampleCharsMax = 200
export function createAgentMessages(
  limits: MessageLimits,
  { onMessage, onNotification }: MessageHandlers,
): AgentMessages {
  const open = new Set<unknown>()
  let bytes = 0
  let messages = 0
  let noiseLines = 0
  let noise: string | undefined

  const take = (message: EventObject | undefined): boolean => {
    if (message?.['jsonrpc'] !== '2.0') return false
    const { id, method, params } = message
    if (method === undefined) {
      if (!open.delete(id)) return false
      onMessage(message as AnyMessage)
    } else if (typeof method !== 'string') return false
    else if (id === undefined) onNotification(method, params)
    else if (isId(id)) onMessage({ jsonrpc: '2.0', id, method, params })
    else return false
    return true
  }

  return {
    get noise() {
      return noise
    },
    sent(message) {
      if ('method' in message && 'id' in message) open.add(message.id)
    },
    received(line) {
      bytes += line.length
      messages += 1
      if (take(readEvent(line))) noiseLines = 0
      else {
        noiseLines += 1
        noise = line.slice(0, sampleCharsMax)
      }
      if (bytes > limits.bytesMax || messages > limits.messagesMax) return 'it sent too much'
      return noiseLines > limits.noiseLinesMax
        ? 'it keeps writing lines that are no messages'
        : undefined
    },
  }
}

const isId = (id: unknown): id is JsonRpcId =>
  id === null || typeof id === 'string' || typeof id === 'number'
