/**
 * One request of a client, until a provider has answered it or there is no use in asking again.
 *
 * E4. Every attempt reserves its worst case before it is sent and settles what it used. One that failed
 *     costs nothing where the provider said so, and its input where nobody knows.
 * E9. Attempts and waits are limited. A closed window is waited for here if it opens soon; else the
 *     client is told, and so is the engine, which knows how to wait.
 */

import type { IncomingHttpHeaders } from 'node:http'
import {
  type Amount,
  defaultRetry,
  type ProviderAnswerKind,
  rateLimitWaitMs,
  retryDelayMs,
  toFault,
  zero,
} from '../loop/index.ts'
import { type Attempt, attempt } from './attempt.ts'
import { type Charge, noCharge } from './charge.ts'
import type { ForwardedRequest, ProviderRefusal } from './forwarded-request.ts'
import { freeFailures } from './pace.ts'
import { planCall } from './plan-call.ts'
import type { Refusal } from './refusal.ts'
import { type Answered, sendRefusal, sendRefused } from './send-answer.ts'
import type { SessionParts } from './session-types.ts'
import { count, type SessionTrouble } from './totals.ts'
import { waitForWindow, windowKey } from './wait-for-window.ts'

/** Told after each attempt. */
export type Account = (charge: Charge, spent: Amount, requests: number) => void

interface Counts {
  requests: number
  rateLimits: number
  failures: number
}

const backoff = { ...defaultRetry, attempts: 100, firstDelayMs: 500, delayMsMax: 8000 }

export async function forward(
  session: SessionParts,
  request: ForwardedRequest,
  account: Account,
): Promise<Answered> {
  const counts: Counts = { requests: 0, rateLimits: 0, failures: 0 }
  const waits = { count: 0 }
  const window = windowKey(session, request)
  for (;;) {
    const closed = await waitForWindow(session, request, waits)
    if (closed !== undefined) return closed
    const sentAtMs = session.clock.now()
    const taken = (): void => session.windows.succeeded(window, sentAtMs)
    const tried = await pay(session, request, counts, account, taken).finally(() =>
      session.windows.left(window, request),
    )
    if (tried.type === 'refusal')
      return { ...sendRefusal(request, tried.refusal), trouble: tried.trouble }
    const again = afterAttempt(session, request, tried, counts, sentAtMs)
    if ('answered' in again) return again.answered
    await session.clock.sleep(again.waitMs, request.signal)
  }
}

type Paid = Attempt | ({ readonly type: 'refusal' } & NotReserved)

async function pay(
  session: SessionParts,
  request: ForwardedRequest,
  counts: Counts,
  account: Account,
  taken: () => void,
): Promise<Paid> {
  const { options, tally, factor } = session
  const { shape, body, provider, route } = request
  const send = (bytes: Buffer): Promise<Attempt> => {
    tally.requests++
    return attempt(session, request, bytes, taken)
  }
  if (!route.metered) {
    const tried = await send(body)
    account(noCharge, zero, ++counts.requests)
    return tried
  }
  const findPrice = await session.prices()
  const price = findPrice(provider, shape.model)
  const remaining = options.remaining?.()
  const plan = planCall({ shape, body, provider, price, factor, remaining })
  const reserved = await options.reserve(plan.worst).catch((error: unknown) => ({ error }))
  if ('error' in reserved) return { type: 'refusal', ...notReserved(reserved.error) }
  const tried = await send(plan.body)
  const charge = tried.chargeFor(plan)
  if (!charge.isEstimated && charge.usage.input > plan.inputTokens) {
    session.factor = Math.min(4, (factor * charge.usage.input * 1.05) / plan.inputTokens)
  }
  const spent = plan.amountOf(charge)
  count(tally, charge.usage, spent, charge.isEstimated)
  account(charge, spent, ++counts.requests)
  // What cannot be settled stays charged with its worst case.
  await reserved.settle(spent).catch(() => session.stop.abort())
  return tried
}

export interface NotReserved {
  readonly refusal: Refusal
  readonly trouble: SessionTrouble | undefined
}

/** What a client is told when there is no money for its call, or no run any more. */
export function notReserved(error: unknown): NotReserved {
  const fault = toFault(error)
  if (fault.code !== 'budget') {
    const message = 'The run is being stopped. Keep what you have done and end your work now.'
    return { refusal: { status: 503, kind: 'unavailable', message }, trouble: undefined }
  }
  const message =
    `The budget of this run does not allow another call like this: ${fault.message} ` +
    'Do not ask again. Keep what you have done and end your work now.'
  return {
    refusal: { status: 402, kind: 'budget', message },
    trouble: { kind: 'budget', message: fault.message, limit: fault.limit },
  }
}

type Next = { readonly answered: Answered } | { readonly waitMs: number }

function afterAttempt(
  session: SessionParts,
  request: ForwardedRequest,
  tried: Attempt,
  counts: Counts,
  sentAtMs: number,
): Next {
  if (tried.type === 'relayed') {
    const trouble = troubleWith(request.provider.name, tried.answered.ended)
    return { answered: { ...tried.answered, trouble } }
  }
  if (tried.type === 'refused') {
    const next = afterRefusal(session, request, tried, counts, sentAtMs)
    if ('waitMs' in next) return next
    return { answered: { ...sendRefused(request, tried), trouble: next.trouble } }
  }
  const waitMs = tried.isWorthAnother ? retryIn(session, counts) : undefined
  if (waitMs !== undefined) return { waitMs }
  const trouble: SessionTrouble = { kind: 'failed', message: tried.message }
  const message = `${tried.message} It was asked ${counts.requests} times.`
  const refusal: Refusal = { status: tried.status, kind: 'unavailable', message }
  return { answered: { ...sendRefusal(request, refusal, tried.ended), trouble } }
}

/** When to ask again, unless that is of no use or somebody else's business. */
function afterRefusal(
  session: SessionParts,
  request: ForwardedRequest,
  { status, headers, body, kind }: ProviderRefusal,
  counts: Counts,
  sentAtMs: number,
): { readonly waitMs: number } | { readonly trouble: SessionTrouble | undefined } {
  const { clock, windows, limits, secrets } = session
  const text = secrets.maskText(body.toString()).slice(0, 500)
  const message = `${request.provider.name} answered ${status}: ${text}${withoutKey(session, request, kind)}`
  const isWindow = kind === 'rate-limited' || status === 529 || status === 503
  if (isWindow) {
    const nowMs = clock.now()
    const waitMs = rateLimitWaitMs(flat(headers), body.toString().slice(0, 20_000), nowMs)
    const opensAtMs = windows.refused(windowKey(session, request), sentAtMs, nowMs, waitMs)
    const isSoon = opensAtMs - nowMs <= limits.waitMsMax
    if (isSoon && ++counts.rateLimits <= limits.rateLimitsMax) return { waitMs: 0 }
    return { trouble: { kind: 'rate-limited', message, rateLimitedUntilMs: opensAtMs } }
  }
  const waitMs = kind === 'transient' ? retryIn(session, counts) : undefined
  return waitMs === undefined ? { trouble: troubleOf(kind, message) } : { waitMs }
}

/** Else nobody would guess why a key that is there is not taken. */
function withoutKey(
  { keys }: SessionParts,
  { provider }: ForwardedRequest,
  kind: ProviderAnswerKind,
): string {
  if (kind !== 'not-allowed' || keys(provider.name) !== undefined) return ''
  return ' No key was sent. Who names an address has to name the key for it as well.'
}

/** A client that leaves is nobody's fault. */
function troubleWith(provider: string, ended: string): SessionTrouble | undefined {
  if (ended === 'complete' || ended === 'client-gone') return undefined
  return { kind: 'failed', message: `An answer of ${provider} broke off (${ended}).` }
}

function troubleOf(kind: ProviderAnswerKind, message: string): SessionTrouble | undefined {
  switch (kind) {
    case 'not-allowed':
    case 'unknown-model':
    case 'too-long':
      return { kind, message }
    case 'transient':
    case 'rate-limited':
      return { kind: 'failed', message }
    case 'refused':
      return undefined
  }
}

/** Where nothing has worked for a while, the client is told at once. */
function retryIn({ clock, limits, pace }: SessionParts, counts: Counts): number | undefined {
  const isHopeless = pace.failures >= freeFailures
  if (isHopeless || ++counts.failures > limits.failuresMax) return undefined
  const fault = { code: 'provider-failed', message: '', retryable: true }
  return retryDelayMs(backoff, fault, counts.failures, clock.random())
}

function flat(headers: IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]),
  )
}
