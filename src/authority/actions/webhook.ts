/**
 * Sends a POST request.
 *
 * 1. Only to addresses that the operator's allow-list names: https, or http on this machine.
 * 2. The idempotency key is the header `Idempotency-Key`. A redirect is refused.
 * 3. An answer of 2xx is success; 3xx and 4xx mean that it was not accepted. After anything else, the result is unknown.
 */

import { z } from 'zod'
import type { ActionLookup, Actions } from '../../engine/index.ts'
import { type Action, FaultError, type Json, type Receipt, type Signal } from '../../loop/index.ts'
import { done, failed, notDone, readDetails, unknown } from './executor.ts'

const detailsSchema = z.object({
  url: z.string(),
  tokenEnv: z.string().exactOptional(),
  idempotent: z.boolean().prefault(false),
  timeoutMs: z.int().positive().prefault(30_000),
})

export interface WebhookPorts {
  /** URL prefixes of the operator, separated by spaces or commas. */
  readonly allowed: string | undefined
  readonly variable: (name: string) => string | undefined
  readonly fetch?: typeof fetch
}

export interface WebhookRequest {
  readonly url: string
  readonly key: string
  readonly body: Json
  readonly tokenEnv?: string
  readonly timeoutMs: number
  readonly signal: Signal
}

export function webhookExecutor(ports: WebhookPorts): Actions {
  const send = async (action: Action, key: string, signal: Signal): Promise<Receipt> => {
    const { idempotent: _idempotent, ...settings } = readDetails(detailsSchema, action)
    const body = { kind: action.kind, summary: action.summary, key }
    const status = await postWebhook(ports, { ...settings, key, body, signal })
    return done(`${settings.url} answered ${status}`, { url: settings.url, status })
  }
  return {
    perform: (action, key, { signal }) => send(action, key, signal),
    /** A receiver that knows keys is asked again with the same key; it does nothing twice. */
    async find(action, key, { signal }): Promise<ActionLookup> {
      if (!readDetails(detailsSchema, action).idempotent) return unknown
      try {
        return { type: 'done', receipt: await send(action, key, signal) }
      } catch (error) {
        return error instanceof FaultError ? notDone : unknown
      }
    },
  }
}

/** Resolves with the status of the answer. */
export async function postWebhook(
  { allowed, variable, fetch: request = fetch }: WebhookPorts,
  { url, key, body, tokenEnv, timeoutMs, signal }: WebhookRequest,
): Promise<number> {
  requireAllowed(url, allowed)
  const token = tokenEnv === undefined ? undefined : variable(tokenEnv)
  if (tokenEnv !== undefined && token === undefined) throw failed(`${tokenEnv} is not set.`)
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  signal.addEventListener('abort', abort)
  const answer = await request(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]),
  })
    .catch((error: unknown) => {
      throw isNeverSent(error) ? failed(`Could not connect to ${url}.`, error) : error
    })
    .finally(() => signal.removeEventListener('abort', abort))
  await answer.body?.cancel().catch(() => undefined)
  const { status } = answer
  if (status >= 200 && status < 300) return status
  if (status >= 300 && status < 400) throw failed(`${url} redirects, which is refused (${status}).`)
  if (status >= 400 && status < 500) throw failed(`${url} refused the request (${status}).`)
  throw new Error(`${url} answered ${status}.`)
}

const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** No connection was made, so no receiver can have seen the request. */
function isNeverSent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && (neverSent.has(code) || code.startsWith('CERT_'))
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** A server may decode it after the path was compared: `/hooks/..%2fadmin`. */
const encodedSlash = /%2f|%5c/i

/** Compared as parsed addresses: the same origin, and a path below the allowed one. */
export function requireAllowed(url: string, allowed: string | undefined): void {
  const target = parseUrl(url)
  if (target === undefined) throw failed(`${JSON.stringify(url)} is not an address.`)
  if (target.username !== '' || target.password !== '') {
    throw failed('The address of a webhook must not contain credentials.')
  }
  const isLocal = target.protocol === 'http:' && loopback.has(target.hostname)
  if (target.protocol !== 'https:' && !isLocal) {
    throw failed(`${url} is not allowed: webhooks use https, or http on this machine.`)
  }
  if (encodedSlash.test(target.pathname)) {
    throw failed(`${url} is not allowed: its path has an encoded slash.`)
  }
  const prefixes = (allowed ?? '').split(/[\s,]+/).flatMap((prefix) => parseUrl(prefix) ?? [])
  if (prefixes.some((prefix) => isBelow(target, prefix))) return
  throw failed(
    `${target.origin} is not in the list of allowed webhooks. Add it to LOOPWRIGHT_WEBHOOKS in your environment.`,
  )
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

function isBelow(target: URL, prefix: URL): boolean {
  if (target.origin !== prefix.origin) return false
  const folder = prefix.pathname.endsWith('/') ? prefix.pathname : `${prefix.pathname}/`
  return target.pathname === prefix.pathname || target.pathname.startsWith(folder)
}
