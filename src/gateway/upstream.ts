/**
 * Sends one request to a provider and waits until it starts to respond. Redirects are not followed.
 */

import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { textOf } from '../loop/index.ts'

export interface Upstream {
  send(request: UpstreamRequest): Promise<IncomingMessage>
  close(): void
}

export interface UpstreamRequest {
  readonly url: URL
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
  readonly signal: AbortSignal
  readonly answerMs: number
}

/** Why there is no response. */
export class UpstreamFailure extends Error {
  readonly kind: 'unsent' | 'unreachable' | 'broken' | 'silent' | 'stopped'
  constructor(kind: UpstreamFailure['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UpstreamFailure'
    this.kind = kind
  }
}

const freeSocketsMax = 64
/** Shorter than the keep-alive of servers, so that no closing connection is reused. */
const freeSocketMs = 4000

export function openUpstream(): Upstream {
  const settings = { keepAlive: true, maxFreeSockets: freeSocketsMax, timeout: freeSocketMs }
  const plain = new HttpAgent(settings)
  const secure = new HttpsAgent(settings)
  return {
    close() {
      plain.destroy()
      secure.destroy()
    },
    async send(request) {
      const isSecure = request.url.protocol === 'https:'
      try {
        return await sendOnce(request, isSecure ? secure : plain)
      } catch (error) {
        // The provider closed the connection while the request was on its way, so it has not seen
        // it.
        if (!(error instanceof StaleConnection)) throw error
        return sendOnce(request, false)
      }
    },
  }
}

class StaleConnection extends Error {}

/** A connection that breaks later than this was not stale. */
const staleMsMax = 1000

function sendOnce(
  { url, headers, body, signal, answerMs }: UpstreamRequest,
  agent: HttpAgent | false,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ask = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = ask(url, { method: 'POST', headers, agent, signal })
    const silent = (): void => {
      const message = `The provider did not answer within ${Math.ceil(answerMs / 1000)} s.`
      request.destroy(new UpstreamFailure('silent', message))
    }
    const timer = setTimeout(silent, answerMs)
    const sentAtMs = performance.now()
    request.once('response', (response) => {
      clearTimeout(timer)
      resolve(response)
    })
    request.on('error', (error: Error & { readonly code?: string }) => {
      clearTimeout(timer)
      const isBroken = ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
      const isStale = request.reusedSocket && isBroken && performance.now() - sentAtMs < staleMsMax
      if (signal.aborted) reject(stopped(signal))
      else reject(isStale ? new StaleConnection('', { cause: error }) : toFailure(error))
    })
    request.end(body)
  })
}

const stopped = (signal: AbortSignal): UpstreamFailure =>
  new UpstreamFailure('stopped', 'The call was stopped.', signal.reason)

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

function toFailure(error: Error & { readonly code?: string }): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  const kind = unreachable.has(error.code ?? '') ? 'unreachable' : 'broken'
  const what = kind === 'unreachable' ? 'cannot be reached' : 'broke the connection'
  return new UpstreamFailure(kind, `The provider ${what}: ${textOf(error)}`, error)
}
