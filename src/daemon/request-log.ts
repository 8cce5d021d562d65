/**
 * What the log says of requests: each that may change something, by whom and how it ended, and those that
 * were refused. Nobody who is not let in can fill it: of refusals there are so many in a while, and a count.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log, Scope } from './parts.ts'
import type { Refusal } from './refusal.ts'

export interface RequestLog {
  /** One that passed, and may change something. */
  changing(request: IncomingMessage, response: ServerResponse, scope: Scope): void
  refused(request: Pick<IncomingMessage, 'method' | 'url'>, refusal: Refusal): void
}

const refusalsMax = 20
const whileMs = 60_000
const pathCharsMax = 200

export function createRequestLog(
  log: Log,
  now: () => number = () => performance.now(),
): RequestLog {
  let sinceMs = now()
  let count = 0
  return {
    changing(request, response, scope) {
      const startMs = now()
      response.on('close', () => {
        const { method } = request
        const { statusCode: status } = response
        const requestId = response.getHeader('x-request-id')
        const durationMs = Math.round(now() - startMs)
        const fields = { requestId, method, path: pathOf(request), status, scope, durationMs }
        log.info(fields, 'request')
      })
    },
    refused(request, { status, code }) {
      if (now() - sinceMs > whileMs) {
        if (count > refusalsMax) log.warn({ count: count - refusalsMax }, 'refused, not listed')
        sinceMs = now()
        count = 0
      }
      count += 1
      if (count > refusalsMax) return
      log.warn({ method: request.method, path: pathOf(request), status, code }, 'refused')
    },
  }
}

/** Without what stands behind it: that may be anybody's secret. */
const pathOf = ({ url = '' }: Pick<IncomingMessage, 'url'>): string =>
  (url.split(/[?#]/)[0] ?? '').slice(0, pathCharsMax)
