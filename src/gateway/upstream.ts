/** One request to a provider, until it begins to answer. Redirects are not followed. */

import type { OutgoingHttpHeaders } from 'node:http'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
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

/** There is no answer, and why. */
export class UpstreamFailure extends Error {
  readonly kind: 'unsent' | 'unreachable' | 'broken' | 'silent' | 'stopped'
  constructor(kind: UpstreamFailure['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UpstreamFailure'
    this.kind = kind
  }
}

const freeSocketsMax = 64
/** Shorter than servers keep connections, so that none is used that is being closed. */
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
    send({ url, headers, body, signal, answerMs }) {
      return new Promise((resolve, reject) => {
        const isSecure = url.protocol === 'https:'
        const ask = isSecure ? httpsRequest : httpRequest
        const options = { method: 'POST', headers, agent: isSecure ? secure : plain, signal }
        const request = ask(url, options)
        const silent = (): void => {
          const message = `The provider did not answer within ${Math.ceil(answerMs / 1000)} s.`
          request.destroy(new UpstreamFailure('silent', message))
        }
        const timer = setTimeout(silent, answerMs)
        request.once('response', (answer) => {
          clearTimeout(timer)
          resolve(answer)
        })
        request.on('error', (error) => {
          clearTimeout(timer)
          reject(signal.aborted ? stopped(signal) : toFailure(error))
        })
        request.end(body)
      })
    },
  }
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
