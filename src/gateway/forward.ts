/**
 * Forwards one client request until a provider has answered it or a retry is pointless.
 *
 * E4. Every attempt reserves its worst case before it is sent and settles what it used. A
 *     failed attempt costs nothing if the provider said so, and its input if that is unknown.
 * E9. Attempts and waits are limited. If a rate-limit window opens soon, this waits for it;
 *     otherwise it reports the limit to the client and to the engine, which waits instead.
 */

import type { IncomingHttpHeaders } from 'node:http'
import {
  type Amount,
  defaultRetry,
  defined,
  type ProviderResponseKind,
  rateLimitWaitMs,
  retryDelayMs,
  toFault,
  zero,
} from '../loop/index.ts'
import { type Attempt, attempt } from './attempt.ts'
import type { ForwardedRequest, ProviderRefusal } from './forwarded-request.ts'
import { toleratedFailures } from './pace.ts'
import { type Charge, noCharge } from './pricing/charge.ts'
import { planCall } from './pricing/plan-call.ts'
import { type SentResponse, sendRefusal, sendRefused } from './send-response.ts'
import type { SessionParts } from './session-types.ts'
import { addToTally, type SessionTrouble } from './totals.ts'
import { waitForWindow, windowKey } from './wait-for-window.ts'
import type { Refusal } from './wire/refusal.ts'

/** Called after each attempt. */
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
): Promise<SentResponse> {
  const counts: Counts = { requests: 0, rateLimits: 0, failures: 0 }
  const waits = { count: 0 }
  const window = windowKey(session, request)
  for (;;) {
    const closed = await waitForWindow(session, request, waits)
    if (closed !== undefined) return closed
    const sentAtMs = session.clock.now()
    const onAccepted = (): void => session.windows.succeeded(window, sentAtMs)
    const result = await attemptReserved(session, request, counts, account, onAccepted).finally(
      () => session.windows.left(window, request),
    )
    if (result.type === 'refusal')
      return { ...sendRefusal(request, result.refusal), trouble: result.trouble }
    const next = decideNext(session, request, result, counts, sentAtMs)
    if ('answered' in next) return next.answered
    await session.clock.sleep(next.waitMs, request.signal)
  }
}

type AttemptResult = Attempt | ({ readonly type: 'refusal' } & ReservationRefusal)

async function attemptReserved(
  session: SessionParts,
  request: ForwardedRequest,
  counts: Counts,
  account: Account,
  onAccepted: () => void,
): Promise<AttemptResult> {
  const { options, tally, factor } = session
  const { shape, body, provider, route } = request
  const send = (bytes: Buffer): Promise<Attempt> => {
    tally.requests++
    return attempt(session, request, bytes, onAccepted)
  }
  if (!route.metered) {
    const result = await send(body)
    account(noCharge, zero, ++counts.requests)
    return result
  }
  const findPrice = await session.prices()
  const price = findPrice(provider, shape.model)
  const remaining = options.remaining?.()
  const plan = planCall({ shape, body, provider, price, factor, remaining })
  const reserved = await options.reserve(plan.worst).catch((error: unknown) => ({ error }))
  if ('error' in reserved) return { type: 'refusal', ...toReservationRefusal(reserved.error) }
  const result = await send(plan.body)
  const charge = result.chargeFor(plan)
  if (!charge.isEstimated && charge.usage.input > plan.inputTokens) {
    session.factor = Math.min(4, (factor * charge.usage.input * 1.05) / plan.inputTokens)
  }
  const spent = plan.amountOf(charge)
  addToTally(tally, charge.usage, spent, charge.isEstimated)
  account(charge, spent, ++counts.requests)
  // If settling fails, the worst case stays charged.
  await reserved.settle(spent).catch(() => session.stop.abort())
  return result
}

export interface ReservationRefusal {
  readonly refusal: Refusal
  readonly trouble: SessionTrouble | undefined
}

/** The refusal for a client whose call does not fit the budget, or whose run has ended. */
export function toReservationRefusal(error: unknown): ReservationRefusal {
  const fault = toFault(error)
  if (fault.code !== 'budget' && fault.code !== 'iteration-limit') {
    const message = 'The run is being stopped. Save your work and finish now.'
    return { refusal: { status: 503, kind: 'unavailable', message }, trouble: undefined }
  }
  const { code: kind, limit, agent } = fault
  const message =
    `The budget of this ${kind === 'budget' ? 'run' : 'iteration'} does not allow another such call: ${fault.message} ` +
    'Do not retry. Save your work and finish now.'
  return {
    refusal: { status: 402, kind: 'budget', message },
    trouble: { kind, message: fault.message, ...defined({ limit, agent }) },
  }
}

type Next = { readonly answered: SentResponse } | { readonly waitMs: number }

function decideNext(
  session: SessionParts,
  request: ForwardedRequest,
  result: Attempt,
  counts: Counts,
  sentAtMs: number,
): Next {
  if (result.type === 'relayed') {
    const trouble = toEndingTrouble(request.provider.name, result.answered.ended)
    return { answered: { ...result.answered, trouble } }
  }
  if (result.type === 'refused') {
    const next = decideAfterRefusal(session, request, result, counts, sentAtMs)
    if ('waitMs' in next) return next
    return { answered: { ...sendRefused(request, result), trouble: next.trouble } }
  }
  const waitMs = result.isRetryable ? nextRetryMs(session, counts) : undefined
  if (waitMs !== undefined) return { waitMs }
  const trouble: SessionTrouble = { kind: 'failed', message: result.message }
  const message = `${result.message} Attempts: ${counts.requests}.`
  const refusal: Refusal = { status: result.status, kind: 'unavailable', message }
  return { answered: { ...sendRefusal(request, refusal, result.ended), trouble } }
}

/** When to retry, if a retry can help and this gateway is the one to do it. */
function decideAfterRefusal(
  session: SessionParts,
  request: ForwardedRequest,
  { status, headers, body, kind }: ProviderRefusal,
  counts: Counts,
  sentAtMs: number,
): { readonly waitMs: number } | { readonly trouble: SessionTrouble | undefined } {
  const { clock, windows, limits, secrets } = session
  const text = secrets.maskText(body.toString()).slice(0, 500)
  const message = `${request.provider.name} answered ${status}: ${text}${missingKeyHint(session, request, kind)}`
  const isWindow = kind === 'rate-limited' || status === 529 || status === 503
  if (isWindow) {
    const nowMs = clock.now()
    const waitMs = rateLimitWaitMs(flattenHeaders(headers), body.toString().slice(0, 20_000), nowMs)
    const opensAtMs = windows.refused(windowKey(session, request), sentAtMs, nowMs, waitMs)
    const isSoon = opensAtMs - nowMs <= limits.waitMsMax
    if (isSoon && ++counts.rateLimits <= limits.rateLimitsMax) return { waitMs: 0 }
    return { trouble: { kind: 'rate-limited', message, rateLimitedUntilMs: opensAtMs } }
  }
  const waitMs = kind === 'transient' ? nextRetryMs(session, counts) : undefined
  return waitMs === undefined ? { trouble: toRefusalTrouble(kind, message) } : { waitMs }
}

/** Without this hint it is hard to see why an existing key was not used. */
function missingKeyHint(
  { keys }: SessionParts,
  { provider }: ForwardedRequest,
  kind: ProviderResponseKind,
): string {
  if (kind !== 'not-allowed' || keys(provider.name) !== undefined) return ''
  return ' No key was sent: a configured address needs its own key.'
}

/** A client that disconnects is not a failure. */
function toEndingTrouble(provider: string, ended: string): SessionTrouble | undefined {
  if (ended === 'complete' || ended === 'client-gone') return undefined
  return { kind: 'failed', message: `A response from ${provider} ended early (${ended}).` }
}

function toRefusalTrouble(kind: ProviderResponseKind, message: string): SessionTrouble | undefined {
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

/**
 * Undefined if there should be no retry: after a series of failures the client is refused at once.
 */
function nextRetryMs({ clock, limits, pace }: SessionParts, counts: Counts): number | undefined {
  const isHopeless = pace.failures >= toleratedFailures
  if (isHopeless || ++counts.failures > limits.failuresMax) return undefined
  const fault = { code: 'provider-failed', message: '', retryable: true }
  return retryDelayMs(backoff, fault, counts.failures, clock.random())
}

function flattenHeaders(
  headers: IncomingHttpHeaders,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]),
  )
}
