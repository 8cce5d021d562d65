/**
 * Logs requests that may change something, with their result, and refused requests. Refusals are limited per
 * interval and then only counted, so that clients without a token cannot fill the log.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log, Scope } from './parts.ts'
import type { Refusal } from './refusal.ts'

export interface RequestLog {
  /** A request that passed the guard and may change something. */
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

/** Without the query, which may contain a secret. */
const pathOf = ({ url = '' }: Pick<IncomingMessage, 'url'>): string =>
  (url.split(/[?#]/)[0] ?? '').slice(0, pathCharsMax)
