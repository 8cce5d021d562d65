/**
 * Waits for a rate-limit window to open if that is soon; otherwise reports the limit to the client
 * and to the engine, which waits instead.
 */

import { createHash } from 'node:crypto'
import type { ForwardedRequest } from './forwarded-request.ts'
import { type SentResponse, sendRefusal } from './send-response.ts'
import type { SessionParts } from './session-types.ts'
import type { SessionTrouble } from './totals.ts'
import type { Refusal } from './wire/refusal.ts'

/** Other requests may close a window again before this one can go. */
const waitsMax = 20
/** Between two checks whether the provider has accepted the first request. */
const checkMs = 500

/** Rate limits apply to an account, that is a key at an address, and a model. */
export function windowKey({ keys }: SessionParts, { provider, shape }: ForwardedRequest): string {
  const account = createHash('sha256')
    .update(keys(provider.name) ?? '')
    .digest('base64url')
  return `${provider.baseUrl} ${account} ${shape.model}`
}

/** Returns undefined if the request may be sent; it then holds the window until released. */
export async function waitForWindow(
  session: SessionParts,
  request: ForwardedRequest,
  waits: { count: number },
): Promise<SentResponse | undefined> {
  const { clock, windows, limits, tally, options, secrets } = session
  const { provider, signal } = request
  const key = windowKey(session, request)
  const model = secrets.maskText(request.shape.model)
  let checks = 0
  for (;;) {
    const untilMs = windows.opensAtMs(key)
    const waitMs = untilMs - clock.now()
    if (waitMs <= 0) {
      if (windows.enter(key, request)) return undefined
      if (++checks * checkMs > limits.waitMsMax)
        return toRateLimitResponse(request, model, checkMs, clock.now())
      await clock.sleep(checkMs, signal)
      continue
    }
    if (waitMs > limits.waitMsMax || ++waits.count > waitsMax) {
      return toRateLimitResponse(request, model, waitMs, untilMs)
    }
    const message = describeWindow(provider.name, model, waitMs)
    options.note?.({ type: 'waiting', provider: provider.name, model, untilMs, message })
    // Requests that waited together should not be sent together.
    await clock.sleep(waitMs + Math.floor(clock.random() * 250), signal)
    tally.waitedMs += waitMs
  }
}

function toRateLimitResponse(
  request: ForwardedRequest,
  model: string,
  waitMs: number,
  untilMs: number,
): SentResponse {
  const message = describeWindow(request.provider.name, model, waitMs)
  const trouble: SessionTrouble = { kind: 'rate-limited', message, rateLimitedUntilMs: untilMs }
  const refusal: Refusal = { status: 429, kind: 'rate-limited', message, retryAfterMs: waitMs }
  return { ...sendRefusal(request, refusal), trouble }
}

const describeWindow = (provider: string, model: string, waitMs: number): string =>
  `${provider} accepts no requests for ${model} for ${Math.ceil(waitMs / 1000)} s.`
