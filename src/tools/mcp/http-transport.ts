/**
 * A server over HTTP: the SDK's streamable transport with limits.
 *
 * 1. A response is no longer than its limit, also after decompression.
 * 2. Redirects are followed only within the origin of the address (the SDK's rule), so that
 *   headers with secrets reach no other host.
 * 3. A request ends when its response does, and its response ends with the request: none waits on
 *   a stream that is gone, and no stream stays open after its answer.
 * 4. The server cannot make us send requests forever: streams are resumed a limited number of
 *   times, and the stream for unsolicited messages is not opened at all. Nothing from it would be
 *   used.
 * 5. Nor answer forever: each answer to a request of the server is an HTTP request, and a
 *   response full of them would use up all connections of this process. Only a few are answered at
 *   a time.
 */

import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { settlesWithin } from '../../system/index.ts'
import { answerLost, answerUnreadable, McpFailure } from './mcp-failure.ts'
import { limits, type ServerTransport } from './transport.ts'

export interface HttpOptions {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const resumptionsMax = 10
const resumeDelayMs = { min: 100, max: 5000 } as const
/** After an answer, before a response that continues is abandoned. */
const lingerMs = 1000
const goodbyeMs = 1000
/** For messages that need no answer. */
const noticeMs = 10_000
const answersMax = 4

export async function createHttpTransport(options: HttpOptions): Promise<ServerTransport> {
  const sdk = await import('@modelcontextprotocol/client')
  let excess: string | undefined
  const inner = new sdk.StreamableHTTPClientTransport(new URL(options.url), {
    fetch: createBoundedFetch((reason) => {
      excess = reason
    }),
    requestInit: { headers: { ...options.headers } },
    redirectPolicy: 'same-origin',
    reconnectionScheduler(reconnect, delayMs) {
      const { min, max } = resumeDelayMs
      const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, min), max))
      return () => clearTimeout(timer)
    },
  })
  linkStreamsToRequests(inner, () => excess)
  const close = inner.close.bind(inner)
  return Object.assign(inner, {
    trouble: () => excess,
    async close() {
      await settlesWithin(inner.terminateSession(), goodbyeMs)
      await close()
    },
  })
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

function createBoundedFetch(onExcess: (reason: string) => void): Fetch {
  let resumptions = 0
  return async (url, init) => {
    if (init?.method === 'GET') {
      const isResumption = new Headers(init.headers).has('last-event-id')
      // What servers without such a stream answer.
      if (!isResumption || ++resumptions > resumptionsMax)
        return new Response(null, { status: 405 })
    }
    const response = await fetch(url, init)
    const { body, headers, status, statusText } = response
    if (body === null) return response
    return new Response(body.pipeThrough(limitBytes(onExcess)), { headers, status, statusText })
  }
}

function limitBytes(onExcess: (reason: string) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes <= limits.messageBytesMax) return controller.enqueue(chunk)
      const reason = `it sent a response of over ${limits.messageBytesMax} bytes`
      onExcess(reason)
      controller.error(new McpFailure('bad-answer', `The answer is too long: ${reason}.`))
    },
  })
}

type Id = string | number

function linkStreamsToRequests(
  transport: StreamableHTTPClientTransport,
  excess: () => string | undefined,
): void {
  const open = new Map<Id, AbortController>()
  const send = transport.send.bind(transport)
  const sendNotice = limitServerAnswers(send)
  const endStream = (id: Id, afterMs: number): void => {
    const stream = open.get(id)
    open.delete(id)
    if (stream !== undefined) setTimeout(() => stream.abort(), afterMs).unref()
  }
  const failRequest = (id: Id): void => {
    if (!open.delete(id)) return
    const tooLong = excess()
    const why = tooLong ?? 'its response ended without an answer'
    const code = tooLong === undefined ? answerLost : answerUnreadable
    const error = { code, message: `The answer is lost: ${why}.` }
    transport.onmessage?.({ jsonrpc: '2.0', id, error })
  }
  // The SDK keeps an existing handler and calls it before its own.
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage) {
      const id = findAnsweredId(message)
      if (id !== undefined) endStream(id, lingerMs)
    },
  })
  transport.send = async (message, options) => {
    const { asked, cancelled } = readPurpose(message)
    if (asked === undefined) {
      if (cancelled !== undefined) endStream(cancelled, lingerMs)
      return sendNotice(message, { ...options, requestSignal: AbortSignal.timeout(noticeMs) })
    }
    const stream = new AbortController()
    open.set(asked, stream)
    // In the newer protocol this is how a request is cancelled.
    options?.requestSignal?.addEventListener('abort', () => stream.abort(), { once: true })
    const onRequestStreamEnd = (): void => failRequest(asked)
    await send(message, { ...options, requestSignal: stream.signal, onRequestStreamEnd })
  }
}

function limitServerAnswers(send: StreamableHTTPClientTransport['send']): typeof send {
  let answering = 0
  return async (message, options) => {
    const isAnswer = !Array.isArray(message) && !('method' in message)
    if (!isAnswer) return send(message, options)
    if (answering >= answersMax) return
    answering++
    try {
      await send(message, options)
    } finally {
      answering--
    }
  }
}

function findAnsweredId(message: JSONRPCMessage): Id | undefined {
  return 'id' in message && !('method' in message) ? message.id : undefined
}

function readPurpose(message: JSONRPCMessage | JSONRPCMessage[]): {
  readonly asked?: Id
  readonly cancelled?: Id
} {
  if (Array.isArray(message) || !('method' in message)) return {}
  if ('id' in message) return { asked: message.id }
  const id = message.params?.['requestId']
  const isCancellation = message.method === 'notifications/cancelled'
  return isCancellation && (typeof id === 'string' || typeof id === 'number')
    ? { cancelled: id }
    : {}
}
