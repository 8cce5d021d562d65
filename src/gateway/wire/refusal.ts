/**
 * Refusals by the gateway itself, in the provider's own format so that unmodified clients
 * understand them: as a response, or as the last event of a stream.
 */

import type { WireFormat } from './route.ts'

export interface Refusal {
  readonly status: number
  readonly kind: RefusalKind
  readonly message: string
  readonly retryAfterMs?: number
}

export type RefusalKind =
  | 'bad-request'
  | 'not-allowed'
  | 'not-found'
  | 'budget'
  | 'too-large'
  | 'rate-limited'
  | 'unavailable'
  | 'diverged'

interface Names {
  readonly anthropic: string
  readonly openai: string
  readonly gemini: string
}

const names: Readonly<Record<RefusalKind, Names>> = {
  'bad-request': {
    anthropic: 'invalid_request_error',
    openai: 'invalid_request_error',
    gemini: 'INVALID_ARGUMENT',
  },
  'not-allowed': {
    anthropic: 'authentication_error',
    openai: 'invalid_api_key',
    gemini: 'PERMISSION_DENIED',
  },
  'not-found': { anthropic: 'not_found_error', openai: 'not_found', gemini: 'NOT_FOUND' },
  budget: {
    anthropic: 'billing_error',
    openai: 'insufficient_quota',
    gemini: 'RESOURCE_EXHAUSTED',
  },
  'too-large': {
    anthropic: 'request_too_large',
    openai: 'request_too_large',
    gemini: 'INVALID_ARGUMENT',
  },
  'rate-limited': {
    anthropic: 'rate_limit_error',
    openai: 'rate_limit_exceeded',
    gemini: 'RESOURCE_EXHAUSTED',
  },
  unavailable: { anthropic: 'api_error', openai: 'server_error', gemini: 'UNAVAILABLE' },
  diverged: {
    anthropic: 'invalid_request_error',
    openai: 'invalid_request_error',
    gemini: 'FAILED_PRECONDITION',
  },
}

/** Retrying does not help; the Anthropic and OpenAI clients respect the header. */
const finalKinds: ReadonlySet<RefusalKind> = new Set([
  'bad-request',
  'not-allowed',
  'not-found',
  'budget',
  'too-large',
  'diverged',
])

export function refusalHeaders({ kind, retryAfterMs }: Refusal): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(finalKinds.has(kind) ? { 'x-should-retry': 'false' } : {}),
    ...(retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
  }
}

export function refusalBody(format: WireFormat, refusal: Refusal): string {
  const { status, kind, message, retryAfterMs } = refusal
  const name = names[kind]
  switch (format) {
    case 'anthropic':
      return JSON.stringify({ type: 'error', error: { type: name.anthropic, message } })
    case 'chat':
    case 'responses':
      return JSON.stringify({
        error: { message, type: name.openai, param: null, code: name.openai },
      })
    case 'gemini': {
      const delay = `${Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1000))}s`
      const type = 'type.googleapis.com/google.rpc.RetryInfo'
      const details = retryAfterMs === undefined ? [] : [{ '@type': type, retryDelay: delay }]
      return JSON.stringify({ error: { code: status, message, status: name.gemini, details } })
    }
  }
}

/** For a stream that started successfully and cannot continue. */
export function refusalEvent(format: WireFormat, refusal: Refusal): string {
  const body = refusalBody(format, refusal)
  switch (format) {
    case 'anthropic':
      return `event: error\ndata: ${body}\n\n`
    case 'responses': {
      const { kind, message } = refusal
      const code = names[kind].openai
      // The OpenAI client only throws for events with an `error`.
      const error = { message, type: code, param: null, code }
      const event = { type: 'error', code, message, param: null, error }
      return `event: error\ndata: ${JSON.stringify(event)}\n\n`
    }
    case 'chat':
    case 'gemini':
      return `data: ${body}\n\n`
  }
}
