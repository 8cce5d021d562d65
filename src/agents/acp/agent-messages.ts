/**
 * Checks the output of an agent before the SDK sees it.
 *
 * 1. Only a response to a pending request passes, and only once. The SDK would write others to
 *   our own error output. Invalid responses are rejected there.
 * 2. Notifications never reach the SDK: each would cost a second parse, and unreadable ones are
 *   dropped.
 * 3. The total output is limited, and so are lines that are not messages. A few such lines are
 *   common: logs on the wrong stream.
 */

import type { AnyMessage, JsonRpcId } from '@agentclientprotocol/sdk'
import { type EventObject, readEvent } from '../programs/event-line.ts'

export interface MessageLimits {
  /** Of all lines together. */
  readonly bytesMax: number
  readonly messagesMax: number
  /** Consecutive lines that are not messages. */
  readonly noiseLinesMax: number
}

export interface MessageHandlers {
  /** A request by the agent, or a response to one of ours. */
  onMessage(message: AnyMessage): void
  onNotification(method: string, params: unknown): void
}

export interface AgentMessages {
  /** Remembers a request, so that its response is recognized. */
  sent(message: AnyMessage): void
  /** Undefined, or why the agent is no longer read. */
  received(line: string): string | undefined
  /** The last line that was not a message, if any: it often shows what is wrong. */
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

  const handleMessage = (message: EventObject | undefined): boolean => {
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
      if (handleMessage(readEvent(line))) noiseLines = 0
      else {
        noiseLines += 1
        noise = line.slice(0, sampleCharsMax)
      }
      if (bytes > limits.bytesMax || messages > limits.messagesMax) return 'it sent too much'
      return noiseLines > limits.noiseLinesMax
        ? 'it keeps writing lines that are not messages'
        : undefined
    },
  }
}

const isId = (id: unknown): id is JsonRpcId =>
  id === null || typeof id === 'string' || typeof id === 'number'
