/**
 * What comes out of a server, looked at before the SDK sees it.
 *
 * 1. Only an answer to a question that was asked, and not yet answered, gets through: once.
 * 2. An answer that cannot be read ends its question at once instead of at the time limit.
 * 3. How much may come between two answers is limited, in bytes and in lines that are no messages.
 *    A few such lines are common: logs that went the wrong way.
 */

import { z } from 'zod'
import { answerUnreadable } from './mcp-failure.ts'
import { plainText } from './plain-text.ts'

/** As the SDK's transports carry them. */
export type Message = Readonly<Record<string, unknown>> & { readonly jsonrpc: '2.0' }

export interface ServerMessages {
  /** Notes a question, so that its answer is known. */
  sent(message: object): void
  /** Undefined, or why nothing more of this server is listened to. */
  received(line: string): string | undefined
  /** A line that was no message, when there was one: often says what is wrong. */
  readonly noise: string | undefined
}

export interface MessageLimits {
  readonly bytesMax: number
  readonly noiseLinesMax: number
}

const sampleCharsMax = 200
const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0') })
const idSchema = z.union([z.string(), z.number()])
const answerSchema = z.union([
  z.looseObject({ result: z.looseObject({}) }),
  z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) }),
])

export function createServerMessages(
  limits: MessageLimits,
  onMessage: (message: Message) => void,
): ServerMessages {
  const open = new Set<string | number>()
  let bytes = 0
  let noiseLines = 0
  let noise: string | undefined

  const ignore = (line: string): void => {
    noiseLines += 1
    noise = plainText(line, sampleCharsMax)
  }
  const answer = (message: Message, line: string): void => {
    const { data: id } = idSchema.safeParse(message['id'])
    if (id === undefined || !open.delete(id)) return ignore(line)
    bytes = 0
    noiseLines = 0
    onMessage(answerSchema.safeParse(message).success ? message : unreadable(id, line))
  }

  return {
    get noise() {
      return noise
    },
    sent(message) {
      const { id, method } = message as { id?: unknown; method?: unknown }
      const known = idSchema.safeParse(id)
      if (method !== undefined && known.success) open.add(known.data)
    },
    received(line) {
      bytes += line.length
      const message = parseMessage(line)
      if (message === undefined) ignore(line)
      else if (typeof message['method'] === 'string') onMessage(message)
      else answer(message, line)
      if (bytes > limits.bytesMax)
        return `it was stopped because it sent over ${limits.bytesMax} bytes without an answer`
      if (noiseLines <= limits.noiseLinesMax) return undefined
      return 'it was stopped because it keeps writing lines that are no messages'
    },
  }
}

function parseMessage(line: string): Message | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const unreadable = (id: string | number, line: string): Message => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: answerUnreadable,
    message: `It sent an answer that is none: ${plainText(line, sampleCharsMax)}`,
  },
})
