/**
 * Checks the output of a server before the SDK sees it.
 *
 * 1. Only an answer to a pending request passes, and only once.
 * 2. An unreadable answer ends its request at once instead of at the time limit.
 * 3. The output between two answers is limited, in bytes and in lines that are not messages. A
 *   few such lines are common: logs on the wrong stream.
 */

import { z } from 'zod'
import { answerUnreadable } from './mcp-failure.ts'
import { plainText } from './plain-text.ts'

/** As the SDK's transports carry them. */
export type Message = Readonly<Record<string, unknown>> & { readonly jsonrpc: '2.0' }

export interface ServerMessages {
  /** Remembers a request, so that its answer is recognized. */
  sent(message: object): void
  /** Undefined, or why the server is no longer read. */
  received(line: string): string | undefined
  /** The last line that was not a message, if any: it often shows what is wrong. */
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
    onMessage(answerSchema.safeParse(message).success ? message : toErrorMessage(id, line))
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
        return `it was stopped because it sent more than ${limits.bytesMax} bytes without an answer`
      if (noiseLines <= limits.noiseLinesMax) return undefined
      return 'it was stopped because it keeps writing lines that are not messages'
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

const toErrorMessage = (id: string | number, line: string): Message => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: answerUnreadable,
    message: `It sent an invalid answer: ${plainText(line, sampleCharsMax)}`,
  },
})
