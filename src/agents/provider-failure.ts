/**
 * Classifies provider failures. SDK errors are recognized by names and fields, so that the SDK need
 * not be loaded here.
 */

import {
  classifyProviderResponse,
  defined,
  type ProviderResponseKind,
  rateLimitWaitMs,
  textOf,
} from '../loop/index.ts'

export interface ProviderFailure {
  readonly kind:
    | ProviderResponseKind
    /** The address is invalid; a retry cannot help. */
    | 'no-address'
  readonly message: string
  readonly waitMs?: number
  /** The provider may have started to process it, and may charge for that. */
  readonly mayBeCharged: boolean
}

const messageCharsMax = 500

export function providerFailure(error: unknown, nowMs: number): ProviderFailure {
  const { status, headers, body } = readResponse(error)
  const message = textOf(error).slice(0, messageCharsMax)
  if (status === undefined || status < 400) return classifyWithoutStatus(error, message)
  const waitMs = rateLimitWaitMs(headers, body, nowMs)
  const wait = defined({ waitMs })
  const kind = classifyProviderResponse(status, `${message}\n${body}`)
  return { kind, message: `${message} (HTTP ${status})`, mayBeCharged: false, ...wait }
}

/** No connection, a connection that broke, or an invalid response. */
function classifyWithoutStatus(error: unknown, message: string): ProviderFailure {
  if (readName(error) === 'AI_LoadAPIKeyError') {
    return { kind: 'not-allowed', message, mayBeCharged: false }
  }
  if (readName(error) === 'AI_UnsupportedFunctionalityError') {
    return { kind: 'refused', message, mayBeCharged: false }
  }
  const causes = `${message} ${describeCauses(error)}`
  if (badAddressPattern.test(causes)) return { kind: 'no-address', message, mayBeCharged: false }
  return { kind: 'transient', message, mayBeCharged: !neverSentPattern.test(causes) }
}

const badAddressPattern = /bad port|invalid url|unknown scheme|not implemented\.\.\. yet/i
const neverSentPattern = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ERR_TLS|CERT_/

function readResponse(error: unknown): {
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
function describeCauses(error: unknown): string {
  const found: string[] = []
  let cause = error
  for (let depth = 0; depth < 5 && cause !== undefined; depth++) {
    found.push(textOf(field(cause, 'code') ?? ''), textOf(cause).slice(0, 200))
    cause = field(cause, 'cause')
  }
  return found.join(' ')
}

const readName = (error: unknown): unknown => field(error, 'name')

function field(error: unknown, name: string): unknown {
  if (typeof error !== 'object' || error === null || !(name in error)) return undefined
  return (error as Record<string, unknown>)[name]
}
