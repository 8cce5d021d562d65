/**
 * What a provider's failure means. The SDK's errors are told by their names and fields, so that
 * nothing of it has to be loaded to tell them.
 */

import {
  defined,
  type ProviderAnswerKind,
  providerAnswerKind,
  rateLimitWaitMs,
  textOf,
} from '../loop/index.ts'

export interface ProviderFailure {
  readonly kind:
    | ProviderAnswerKind
    /** There is no such address; asking again does not make one. */
    | 'no-address'
  readonly message: string
  readonly waitMs?: number
  /** The provider may have begun to work on it, and may charge for that. */
  readonly perhapsCharged: boolean
}

const messageCharsMax = 500

export function providerFailure(error: unknown, nowMs: number): ProviderFailure {
  const { status, headers, body } = partsOf(error)
  const message = textOf(error).slice(0, messageCharsMax)
  if (status === undefined || status < 400) return withoutStatus(error, message)
  const waitMs = rateLimitWaitMs(headers, body, nowMs)
  const wait = defined({ waitMs })
  const kind = providerAnswerKind(status, `${message}\n${body}`)
  return { kind, message: `${message} (HTTP ${status})`, perhapsCharged: false, ...wait }
}

/** No connection, a connection that was cut, or an answer that is none. */
function withoutStatus(error: unknown, message: string): ProviderFailure {
  if (nameOf(error) === 'AI_LoadAPIKeyError') {
    return { kind: 'not-allowed', message, perhapsCharged: false }
  }
  if (nameOf(error) === 'AI_UnsupportedFunctionalityError') {
    return { kind: 'refused', message, perhapsCharged: false }
  }
  const causes = `${message} ${causesOf(error)}`
  if (noAddress.test(causes)) return { kind: 'no-address', message, perhapsCharged: false }
  return { kind: 'transient', message, perhapsCharged: !neverSent.test(causes) }
}

const noAddress = /bad port|invalid url|unknown scheme|not implemented\.\.\. yet/i
const neverSent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ERR_TLS|CERT_/

function partsOf(error: unknown): {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
} {
  const status = field(error, 'statusCode')
  const headers = field(error, 'responseHeaders')
  const body = field(error, 'responseBody')
  return {
    status: typeof status === 'number' ? status : undefined,
    headers: typeof headers === 'object' && headers !== null ? { ...headers } : {},
    body: typeof body === 'string' ? body.slice(0, 20_000) : '',
  }
}

/** Codes of network failures are often a few causes down. */
function causesOf(error: unknown): string {
  const found: string[] = []
  let cause = error
  for (let depth = 0; depth < 5 && cause !== undefined; depth++) {
    found.push(textOf(field(cause, 'code') ?? ''), textOf(cause).slice(0, 200))
    cause = field(cause, 'cause')
  }
  return found.join(' ')
}

const nameOf = (error: unknown): unknown => field(error, 'name')

function field(error: unknown, name: string): unknown {
  if (typeof error !== 'object' || error === null || !(name in error)) return undefined
  return (error as Record<string, unknown>)[name]
}
